// SPDX-License-Identifier: GPL-3.0-or-later
// report.js - a click on a heading sorts its table, a button copies the table as TSV, a link into a folded part opens it.
for (const table of document.querySelectorAll(".table table")) {
	const body = table.tBodies[0], rows = [...body.rows], text = cell => cell.innerText.replace(/\s+/g, " ").trim();
	if (rows.length < 2) continue;
	const full = rows.map(row => [...row.cells].map(text));	// an empty first cell stands for the one above it
	full.forEach((row, i) => { if (i && !row[0]) row[0] = full[i - 1][0]; });
	const heads = [...table.tHead.rows[0].cells], number = cell => parseFloat(cell.replace(/^[<>]/, ""));
	heads.forEach((head, column) => head.onclick = () => {
		const sign = head.ariaSort === "ascending" ? -1 : 1;
		heads.forEach(other => other.removeAttribute("aria-sort"));
		head.ariaSort = sign > 0 ? "ascending" : "descending";
		const order = rows.map((row, i) => i).sort((a, b) => {
			const [x, y] = [full[a][column], full[b][column]], [m, n] = [number(x), number(y)];
			return !x - !y || sign * (isNaN(m) || isNaN(n) ? x.localeCompare(y) : m - n);
		});
		order.forEach(i => { rows[i].cells[0].innerText || (rows[i].cells[0].textContent = full[i][0]); body.append(rows[i]); });
	});
	const button = document.createElement("button");
	button.textContent = "Copy as TSV";
	button.onclick = () => navigator.clipboard.writeText([heads.map(text), ...full].map(row => row.join("\t")).join("\n") + "\n")
		.then(() => button.textContent = "Copied");
	table.parentNode.after(button);
}
const unfold = () => { const part = document.getElementById(location.hash.slice(1)); if (part) part.open = true; };
addEventListener("hashchange", unfold);
unfold();
