# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of JSON that others wrote."""
import pytest

from analysis.samples import parse_json


@pytest.mark.parametrize('text, why', [
    ('{\n"a": "1e999",\n"b": 1e999}', 'line 3: real number overflow'),
    ('[9223372036854775808.5,\n9223372036854775807,\n9223372036854775808]', 'line 3: too big integer'),
    ('["\\"NaN",\n-Infinity]', 'line 2: invalid token near -Infinity'),
    ('[1,\n2,\n}', 'line 3: Expecting value'),
])
def test_message_names_the_line(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f'^{why}$'):
        parse_json(text.encode())
