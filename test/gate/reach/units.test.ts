import { createTwoFilesPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { changedCode } from '../../../src/gate/reach/changed-code.ts'
import { unitsOf } from '../../../src/gate/reach/units.ts'

type Files = Readonly<Record<string, readonly [before: string | null, after: string | null]>>

/** The places that a test must reach; places of one group are joined by `|`. */
function asked(files: Files): readonly string[] {
  const programs = Object.entries(files).map(([path, [before, after]]) => {
    const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before ?? '', after ?? '', '', '', { context: 3 })
    return { path, before, after, diff: before === null || after === null ? '' : patch }
  })
  const groups = new Map<string, string[]>()
  for (const unit of changedCode(programs).flatMap((each) => unitsOf(each) ?? [])) {
    const isWhole = unit.probe?.form === 'arm' ? ' alone' : ''
    const place = `${Object.keys(files).length > 1 ? `${unit.path}:` : ''}${unit.line}${isWhole}`
    groups.set(unit.group, [...(groups.get(unit.group) ?? []), place])
  }
  return [...groups.values()].map((places) => places.join('|'))
}

const script = `import { parse } from './parse.js'

export function area(side) {
  if (side > 1) {
    return side * side
  }
  return side
}

export const cube = (side) => side ** 3

const table = { one: 1 }
`
const python = `"""Areas."""
import math

RATE = 2


def area(side):
    """The area."""
    if side > 1:
        return side * side
    return side


class Shape:
    def sides(self):
        return 4
`
const go = `package area

import "fmt"

func Area(side int) (int, error) {
	if side > 1 {
		return side * side, nil
	}
	return side, nil
}
`
const failing = go.replace('side > 1', 'err := load(side); err != nil').replace('side * side, nil', '0, err')
const rust = `pub fn area(side: u32) -> u32 {
    if side > 1 {
        return side * side;
    }
    match side {
        0 => 0,
        _ => side,
    }
}
`
const c = `#include "area.h"

int area(int side) {
  if (side > 1)
    return side * side;
  return side;
}
`

type Row = readonly [name: string, files: Files, asked: readonly string[]]
const change = (path: string, before: string, ...pairs: readonly (readonly [string, string])[]): Files => ({
  [path]: [
    before,
    pairs.reduce((text, [was, is]) => {
      if (!text.includes(was)) throw new Error(`no ${was}`)
      return text.replace(was, is)
    }, before),
  ],
})

const rows: readonly Row[] = [
  [
    'a new function',
    change('a.js', script, ['const table', 'export const third = (x) => x / 3\n\nconst table']),
    ['12'],
  ],
  [
    'a function of several lines',
    change('a.js', script, [
      'const table',
      'export function third(x) {\n  if (x < 0) throw new RangeError()\n  return x / 3\n}\n\nconst table',
    ]),
    ['13'],
  ],
  [
    'a branch',
    change('a.js', script, ['  return side\n', "  if (side === 'x') {\n    return steal()\n  }\n  return side\n"]),
    ['8'],
  ],
  [
    'an error path in a line',
    change('a.js', script, ['  return side\n', '  if (side < 0) throw new RangeError()\n  return side\n']),
    ['7'],
  ],
  [
    'branches side by side, of which one is enough',
    change('a.js', script, [
      '  return side\n',
      '  if (side < 0) {\n    fail()\n  } else {\n    pass()\n  }\n  return side\n',
    ]),
    ['8|10'],
  ],
  ['lines of a function', change('a.js', script, ['  return side\n', '  return Number(side)\n']), ['7']],
  ['a line of a branch', change('a.js', script, ['side * side', 'side ** 2']), ['5']],
  ['a condition', change('a.js', script, ['side > 1', 'side >= 1']), ['4']],
  ['an arrow', change('a.js', script, ['side ** 3', 'side * side * side']), ['10']],
  [
    'a callback in a line',
    change('a.js', script, ['  return side\n', '  return [side].map((each) => each + 1)[0]\n']),
    ['7'],
  ],
  [
    'a handler',
    change('a.js', script, [
      'const table',
      "app.get('/admin', (request, response) => {\n  response.send(secret)\n})\nconst table",
    ]),
    ['13'],
  ],
  [
    'a case',
    change('a.js', 'function f(x) {\n  switch (x) {\n    case 1:\n      return 2\n  }\n}\n', [
      '  }\n}',
      '    case 2:\n      return steal()\n  }\n}',
    ]),
    ['6'],
  ],
  [
    'a method',
    change('a.js', 'class A {\n  one() {\n    return 1\n  }\n}\n', ['  }\n}', '  }\n  two() {\n    return 2\n  }\n}']),
    ['6'],
  ],
  ['a new file', { 'a.js': [null, script] }, ['4', '10']],
  [
    'code that runs when the file is loaded',
    change('a.js', script, ['const table', 'register(cube)\nconst table']),
    ['12'],
  ],
  ['data', change('a.js', script, ['{ one: 1 }', "{ one: 1, two: 'b' }"], ['side ** 3', 'side ** 3']), []],
  ['comments', change('a.js', script, ['  return side\n', '  // As it is.\n  return side // so\n']), []],
  [
    'formatting',
    change(
      'a.js',
      script,
      ['export const cube = (side) => side ** 3', 'export const cube = (side) =>\n  side ** 3;'],
      ['if (side > 1) {', 'if (\n    side > 1\n  ) {'],
    ),
    [],
  ],
  [
    'a branch of a function that was a line',
    change('a.js', script, [
      '(side) => side ** 3',
      "(side) => {\n  if (side === 'x') {\n    return steal()\n  }\n  return side ** 3\n}",
    ]),
    ['12', '14'],
  ],
  ['an import', change('a.js', script, ['\n\n', "\nimport { b } from './b.js'\n\n"]), []],
  ['lines that are gone', change('a.js', script, ['  if (side > 1) {\n    return side * side\n  }\n', '']), []],
  [
    'another name of a variable',
    change(
      'a.js',
      'function f(x) {\n  const old = g(x)\n  return old + 1\n}\n',
      ['const old', 'const better'],
      ['return old', 'return better'],
    ),
    [],
  ],
  [
    'another function is called',
    change('a.js', 'function f(x) {\n  return Math.floor(x)\n}\n', ['floor', 'ceil']),
    ['2'],
  ],
  [
    'code that moves',
    {
      'a.js': [script, script.replace(/export function[\s\S]*?\n}\n\n/, "export { area } from './b.js'\n")],
      'b.js': [null, /export function[\s\S]*?\n}\n/.exec(script)?.[0] ?? ''],
    },
    [],
  ],
  [
    'a copy',
    change('a.js', script, [
      'const table',
      'export function twice(side) {\n  if (side > 1) {\n    return side * side\n  }\n  return side\n}\nconst table',
    ]),
    ['13'],
  ],
  [
    'types',
    change(
      'a.ts',
      'export const f = (a) => {\n  return a\n}\n',
      ['(a) =>', '(a: number): Shape =>'],
      ['export', 'interface Shape {\n  x: number\n}\ntype Side = (a: number) => void\nexport'],
    ),
    [],
  ],
  [
    'a typed function',
    change('a.ts', 'export const a = 1\n', [
      '\n',
      '\nexport async function f<T>(x: T[]): Promise<{ a: T }> {\n  return { a: x[0] }\n}\n',
    ]),
    ['3'],
  ],
  [
    'an enum beside a typed function',
    change('a.ts', 'enum A { x }\n', ['\n', '\nexport function f(x: A): Map<string, A> {\n  return new Map()\n}\n']),
    ['3'],
  ],

  [
    'a new function',
    change('a.py', python, [
      'class',
      'def third(x):\n    if x < 0:\n        raise ValueError\n    return x / 3\n\n\nclass',
    ]),
    ['15'],
  ],
  [
    'a branch',
    change('a.py', python, ['    return side\n', '    if side == 7:\n        return steal()\n    return side\n']),
    ['12'],
  ],
  [
    'an error path in a line',
    change('a.py', python, ['    return side\n', '    if side < 0: raise ValueError(side)\n    return side\n']),
    ['11'],
  ],
  [
    'a method',
    change('a.py', python, [
      '        return 4\n',
      '        return 4\n\n    @property\n    def name(self):\n        return "x"\n',
    ]),
    ['20'],
  ],
  [
    'a caught error',
    change('a.py', python, [
      '    return side\n',
      '    try:\n        return int(side)\n    except ValueError:\n        return 0\n',
    ]),
    ['12|14'],
  ],
  ['lines of a function', change('a.py', python, ['    return side\n', '    return side + RATE\n']), ['11']],
  [
    'a docstring',
    change('a.py', python, ['"""The area."""', '"""The area of a square.\n\n    In metres: no\n    """']),
    [],
  ],
  [
    'formatting',
    change('a.py', python, ['side * side', '(\n            side * side\n        )'], ['"""Areas."""', "'''Areas.'''"]),
    ['10'],
  ],
  [
    'a call on more lines',
    change('a.py', 'def f(x):\n    return g(x, 1)\n', ['g(x, 1)', 'g(\n        x,\n        1,\n    )']),
    [],
  ],
  [
    'out of its branch',
    change('a.py', 'def f(x):\n    if x:\n        g()\n        h()\n', ['        h', '    h']),
    ['4'],
  ],
  [
    'an abstract method',
    change('a.py', python, [
      'class',
      'class Base(ABC):\n    @abstractmethod\n    def f(self):\n        """No."""\n\n    def g(self):\n        raise NotImplementedError\n\n\nclass',
    ]),
    [],
  ],
  [
    'a main guard',
    change('a.py', python, [
      'class Shape:',
      "def main():\n    print(1)\n\n\nif __name__ == '__main__':\n    main()\n\n\nclass Shape:",
    ]),
    ['15'],
  ],
  ['annotations', change('a.py', python, ['(side)', '(side: int) -> int']), []],

  ['a new function', change('a.go', go, ['func', 'func Third(x int) int { return x / 3 }\n\nfunc']), ['5']],
  [
    'a branch',
    change('a.go', go, [
      '\treturn side, nil',
      '\tif side == 7 {\n\t\treturn 0, fmt.Errorf("no")\n\t}\n\treturn side, nil',
    ]),
    ['10'],
  ],
  [
    'an error that is passed on',
    change('a.go', go, [
      '\treturn side, nil',
      '\tother, err := load(side)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn other, nil',
    ]),
    ['9'],
  ],
  [
    'an error that is passed on with more words',
    change('a.go', failing, ['return 0, err', 'return 0, fmt.Errorf("area: %w", err)']),
    [],
  ],
  ['an error that is dropped', change('a.go', failing, ['return 0, err', 'return 0, nil']), ['7']],
  [
    'an error that more is done about',
    change('a.go', failing, ['return 0, err', 'note(err)\n\t\tretry()\n\t\treturn 0, err']),
    ['7'],
  ],
  [
    'a loop over a list',
    change('a.go', go, [
      '\treturn side, nil',
      '\tfor _, x := range []int{1, 2} {\n\t\tside += x\n\t}\n\treturn side, nil',
    ]),
    ['10'],
  ],
  [
    'a case',
    change(
      'a.go',
      'package a\n\nfunc F(x int) int {\n\tswitch y := x; {\n\tcase y > 1:\n\t\treturn 2\n\t}\n\treturn 1\n}\n',
      ['\t}\n', '\tdefault:\n\t\treturn 3\n\t}\n'],
    ),
    ['8'],
  ],
  [
    'a struct and an interface',
    change('a.go', go, [
      'func',
      'type Shape struct {\n\tSide int\n}\n\ntype Sized interface {\n\tArea() int\n}\n\nfunc',
    ]),
    [],
  ],
  [
    'a method on a type',
    change('a.go', go, ['func', 'func (s *Shape) Name() (name string) {\n\treturn "x"\n}\n\nfunc']),
    ['6'],
  ],

  [
    'a new function',
    change('a.rs', rust, [
      'pub fn',
      'pub fn third(x: u32) -> Option<Shape> {\n    if x > 3 { return None; }\n    Some(Shape { x })\n}\n\npub fn',
    ]),
    ['2'],
  ],
  [
    'a branch',
    change('a.rs', rust, ['    match', '    if let Some(x) = find(side) {\n        return x;\n    }\n    match']),
    ['6'],
  ],
  ['an arm', change('a.rs', rust, ['        _ =>', '        7 => steal(side),\n        _ =>']), ['7 alone']],
  [
    'an arm with a block',
    change('a.rs', rust, ['        _ =>', '        Some(7) => {\n            steal(side)\n        }\n        _ =>']),
    ['8'],
  ],
  [
    'a struct, a trait',
    change('a.rs', rust, [
      'pub fn',
      '#[derive(Debug)]\npub struct A {\n    pub x: u32,\n}\n\npub trait B {\n    fn b(&self) -> u32;\n}\n\npub fn',
    ]),
    [],
  ],
  [
    'a method',
    change('a.rs', rust, [
      'pub fn',
      "impl<'a> B for A<'a> {\n    fn b(&self) -> u32 {\n        self.x\n    }\n}\n\npub fn",
    ]),
    ['3'],
  ],

  [
    'a new function',
    change('a.c', c, ['int area', 'static int third(int x)\n{\n  return x / 3;\n}\n\nint area']),
    ['5'],
  ],
  [
    'a branch of a function that was a line',
    change(
      'a.c',
      'int f(int x) { return x; }\n',
      ['{ return', '{\n  if (x > 7) {\n    return 1;\n  }\n  return'],
      ['; }', ';\n}'],
    ),
    ['3', '5'],
  ],
  ['a guard', change('a.c', c, ['  return side;\n', '  if (side < 0)\n    return -1;\n  return side;\n']), ['7']],
  [
    'a branch',
    change('a.c', c, ['  return side;\n', '  if (side < 0) {\n    return -1;\n  }\n  return side;\n']),
    ['7'],
  ],
  [
    'a prototype, a struct, an array',
    change('a.c', c, [
      'int area',
      'struct point { int x; };\nstatic const int sizes[] = { 1, 2 };\nint third(int x);\n\nint area',
    ]),
    [],
  ],
  [
    'a method',
    change('a.cpp', 'namespace a {\nclass B {\n public:\n  int one() const { return 1; }\n};\n}\n', [
      '};',
      '  int two() const override { return 2; }\n  B(int x) : x_(x) {\n    use(x);\n  }\n};',
    ]),
    ['5', '7'],
  ],
  [
    'a case',
    change('a.c', 'int f(int x) {\n  switch (x) {\n  case 1: return 2;\n  }\n  return 0;\n}\n', [
      '  }\n  return',
      '  case 2: return 3;\n  }\n  return',
    ]),
    ['4'],
  ],
]

describe('the code that tests must reach', () => {
  test.each(rows.map(([name, files, places]) => [`${Object.keys(files)[0]}: ${name}`, files, places] as const))(
    '%s',
    (_, files, places) => {
      expect(asked(files)).toEqual(places)
    },
  )
})
