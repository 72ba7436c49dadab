# SPDX-License-Identifier: GPL-3.0-or-later
"""run_cells.py RUN: lists the cells of a made-up run in its run.json, as the engine does: names are those of the folders,
parameters those of cell.json."""
import json
import sys
from pathlib import Path

run = Path(sys.argv[1])
facts, cells, axes = json.loads((run / 'run.json').read_text()), [], []
for folder in sorted(run.glob('cells/*/')):
    files = [path for path in sorted(folder.glob('*/cell.json')) if path.stat().st_size]
    found = [json.loads(path.read_text()) for path in files]
    complete = [cell for cell in found if cell.get('state') == 'complete']
    parameters = next((cell['parameters'] for cell in found if cell.get('parameters') is not None), {})
    axes = axes or list(parameters)
    cells.append({'name': folder.name, 'parameters': parameters, 'complete': len(complete),
                  'state': 'complete' if complete else 'missing',
                  'flags': [cell['marked'] for cell in complete if cell.get('marked')]})
(run / 'run.json').write_text(json.dumps({**facts, 'cells': cells, 'axes': axes}))
