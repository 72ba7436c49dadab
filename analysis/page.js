// SPDX-License-Identifier: GPL-3.0-or-later
// report.js - a button in a heading sorts its table, one below copies the table as TSV, a link into a folded part opens it.
const copy = async words => {
	if (navigator.clipboard) return navigator.clipboard.writeText(words);	// undefined on plain http
	const area = document.createElement("textarea");
	area.value = words;
	document.body.append(area);
	area.select();
	const done = document.execCommand("copy");
	area.remove();
	if (!done) throw new Error("cannot copy");
};
for (const table of document.querySelectorAll(".table table")) {
	const body = table.tBodies[0], groups = [...body.querySelectorAll(".group")], text = cell => cell.innerText.replace(/\s+/g, " ").trim();
	const rows = [...body.rows].filter(row => !groups.includes(row));
	if (rows.length < 2) continue;
	const full = rows.map(row => [...row.cells].map(text));	// an empty first cell stands for the one above it
	full.forEach((row, i) => { if (i && !row[0]) row[0] = full[i - 1][0]; });
	const heads = [...table.tHead.rows[0].cells], number = cell => parseFloat(cell.replace(/^[<>]/, ""));
	heads.forEach((head, column) => {
		const sort = document.createElement("button");
		sort.append(...head.childNodes);
		head.append(sort);
		sort.onclick = () => sort_by(head, column);
	});
	const sort_by = (head, column) => {
		const sign = head.ariaSort === "ascending" ? -1 : 1;
		heads.forEach(other => other.removeAttribute("aria-sort"));
		head.ariaSort = sign > 0 ? "ascending" : "descending";
		const order = rows.map((row, i) => i).sort((a, b) => {
			const [x, y] = [full[a][column], full[b][column]], [m, n] = [number(x), number(y)];
			return !x - !y || sign * (isNaN(m) || isNaN(n) ? x.localeCompare(y) : m - n);
		});
		groups.forEach(group => group.remove());
		table.classList.add("sorted");
		order.forEach(i => { rows[i].cells[0].innerText || (rows[i].cells[0].textContent = full[i][0]); body.append(rows[i]); });
	};
	const button = document.createElement("button");
	button.textContent = "Copy as TSV";
	button.onclick = () => copy([heads.map(text), ...full].map(row => row.join("\t")).join("\n") + "\n")
		.then(() => button.textContent = "Copied", () => button.remove());
	table.parentNode.after(button);
}
const unfold = () => { const part = document.getElementById(location.hash.slice(1)); if (part) part.open = true; };
addEventListener("hashchange", unfold);
unfold();
