#!/usr/bin/env python3
"""Prints the N-th example of a language in a page: quick-start.py PAGE LANGUAGE [N, from 1]. Tests follow the pages with it."""

import re
import sys

page, language, number = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1
with open(page, encoding="utf-8") as file:
    examples = re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.M | re.S)
if len(examples) < number:
    sys.exit(f"{page} has {len(examples)} examples of {language}, not {number}")
sys.stdout.write(examples[number - 1])
