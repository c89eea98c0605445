import { expect, test } from 'vitest'
import { isSameProgram } from '../../../src/gate/reach/same-program.ts'

const python = `import os

CASES = [("a", 1), ("b", 2)]
TEXT = """
  one
"""


def area(side, *, unit="m"):
    if side < 0:
        return 0
    return side * side
`

test.each([
  ['quotes', python.replaceAll('"m"', "'m'")],
  ['a list over several lines', python.replace('[("a", 1), ("b", 2)]', '[\n    ("a", 1),\n    ("b", 2),\n]')],
  ['a line that goes on', python.replace('return side * side', 'return side \\\n        * side')],
  ['arguments one below the other', python.replace('(side, *, unit="m")', '(\n    side,\n    *,\n    unit="m",\n)')],
  ['empty lines and comments', python.replace('\n\n\ndef', '\n\n# An area.\ndef')],
])('a program of Python in another layout is the same: %s', (_what, other) => {
  expect(isSameProgram('area.py', python, other)).toBe(true)
})

test.each([
  ['an indentation that decides', python.replace('    return side * side', '        return side * side')],
  ['another value', python.replace('("b", 2)', '("b", 3)')],
  ['another text in several lines', python.replace('  one', '   one')],
  ['two lines that become one', python.replace('        return 0\n    return side', '        return 0; side')],
])('a program of Python that does something else is not: %s', (_what, other) => {
  expect(isSameProgram('area.py', python, other)).toBe(false)
})
