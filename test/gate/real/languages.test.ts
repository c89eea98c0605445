import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../src/domain/verification/verdict.ts'
import { toolchain } from '../suite/toolchains.ts'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

interface Language {
  readonly name: string
  readonly isThere: boolean
  readonly command: string
  readonly readOnlyPaths?: readonly string[]
  readonly junit?: string
  readonly source: string
  readonly files: Readonly<Record<string, string>>
  /** The file to which a canary is added. */
  readonly tests: string
}

const modules = realpathSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)))
const pytest = spawnSync(
  'python3',
  ['-c', 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))'],
  {
    encoding: 'utf8',
  },
)
const pytestFolder = pytest.status === 0 ? pytest.stdout.trim() : ''
const rust = toolchain('cargo', '.rustup/toolchains')
const go = toolchain('go')
const hasC = toolchain('make').isThere && toolchain('cc').isThere
const python = 'def area(side):\n    return side * side\n'
const c = '#include "area.h"\n\nint area(int side) { return side * side; }\n'

const languages: readonly Language[] = [
  {
    name: 'vitest',
    isThere: true,
    command: `node ${join(modules, 'vitest/vitest.mjs')} run --no-cache --configLoader runner`,
    readOnlyPaths: [modules],
    source: 'ts/area.ts',
    tests: 'ts/area.test.ts',
    files: {
      'package.json': '{ "type": "module" }\n',
      'ts/area.ts': 'export const area = (side: number) => side * side\n',
      'ts/area.test.ts':
        "import { expect, test } from 'vitest'\nimport { area } from './area.ts'\ntest('areas in TypeScript', () => {\n  expect(area(2)).toBe(4)\n})\n",
    },
  },
  {
    name: 'unittest',
    isThere: toolchain('python3').isThere,
    command: 'cd py && /usr/bin/python3 -m unittest discover -v',
    source: 'py/area.py',
    tests: 'py/test_area.py',
    files: {
      'py/area.py': python,
      'py/test_area.py':
        'import unittest\nfrom area import area\n\n\nclass Areas(unittest.TestCase):\n    def test_areas_in_python(self):\n        self.assertEqual(area(2), 4)\n',
    },
  },
  {
    name: 'pytest',
    isThere: pytestFolder !== '',
    readOnlyPaths: [pytestFolder],
    command: `cd pyt && PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH='${pytestFolder}' /usr/bin/python3 -m pytest -v`,
    source: 'pyt/side.py',
    tests: 'pyt/test_side.py',
    files: {
      'pyt/side.py': python.replace('area', 'side_area'),
      'pyt/test_side.py': 'from side import side_area\n\n\ndef test_areas_in_pytest():\n    assert side_area(2) == 4\n',
    },
  },
  {
    name: 'cargo',
    isThere: rust.isThere,
    readOnlyPaths: rust.readOnlyPaths,
    command: `cd rs && ${rust.path} CARGO_TARGET_DIR=$ARTIFACT_DIR/build/rs cargo test --offline --lib`,
    source: 'rs/src/lib.rs',
    tests: 'rs/src/lib.rs',
    files: {
      'rs/Cargo.toml': '[package]\nname = "area"\nversion = "0.1.0"\nedition = "2021"\n',
      'rs/Cargo.lock': 'version = 3\n\n[[package]]\nname = "area"\nversion = "0.1.0"\n',
      'rs/src/lib.rs':
        'pub fn area(side: u32) -> u32 { side * side }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn areas_in_rust() {\n        assert_eq!(area(2), 4);\n    }\n}\n',
    },
  },
  {
    name: 'go',
    isThere: go.isThere,
    command: `cd go && ${go.path} go test ./...`,
    source: 'go/area.go',
    tests: 'go/area_test.go',
    files: {
      'go/go.mod': 'module area\n\ngo 1.19\n',
      'go/area.go': 'package area\n\nfunc Area(side int) int { return side * side }\n',
      'go/area_test.go':
        'package area\n\nimport "testing"\n\nfunc TestAreasInGo(t *testing.T) {\n\tif Area(2) != 4 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    },
  },
  {
    name: 'make',
    isThere: hasC,
    command: 'make -s check',
    source: 'src/area.c',
    tests: 'test/test_area.c',
    files: {
      Makefile:
        'TESTS := $(patsubst test/%.c,build/%,$(wildcard test/test_*.c))\n\nall: $(TESTS)\n\nbuild/%: test/%.c src/area.c\n\t@mkdir -p build\n\t$(CC) -Isrc $^ -o $@\n\ncheck: $(TESTS)\n\t@echo "1..$(words $(TESTS))"; n=0; end=0; for t in $(TESTS); do n=$$((n+1)); \\\n\tif ./$$t; then echo "ok $$n - $$t"; else echo "not ok $$n - $$t"; end=1; fi; done; exit $$end\n\n.PHONY: all check\n',
      'src/area.c': c,
      'src/area.h': '#pragma once\nint area(int side);\n',
      'test/test_area.c':
        '#include <assert.h>\n#include "../src/area.h"\n\nint main(void)\n{\n    assert(area(2) == 4);\n    return area(3) == 9 ? 0 : 1;\n}\n',
    },
  },
]

let world: VerifierWorld
let manifest: Manifest | null | undefined
beforeAll(async () => {
  const there = languages.filter(({ isThere }) => isThere)
  world = await makeVerifierWorld(Object.assign({}, ...there.map(({ files }) => files)))
  const change = there.map(({ source }) => [
    source,
    // Different sources with the same behaviour.
    world.textOf(world.tip, source)?.replace('side * side', 'side * (side)'),
  ])
  const steps = there.map(({ name, command, junit = null }) => ({ name, command, junit }))
  const asked = { steps, purpose: 'change', refactor: true, writes: 'overlay' } as const
  const readOnlyPaths = there.flatMap(({ readOnlyPaths = [] }) => readOnlyPaths)
  const commit = await world.commitChange(Object.fromEntries(change))
  const response = await world.ask({ ...asked, readOnlyPaths, commit })
  expect([response.status, response.status === 'PASS' ? '' : response.tail_log]).toEqual(['PASS', ''])
  manifest = response.manifest
})
afterAll(() => world.close())

describe.each(languages)('$name', ({ name, isThere, tests }) => {
  test.skipIf(!isThere)('is read, and hears a test that fails', () => {
    const step = manifest?.commands_executed.find((each) => each.name === name)
    expect(step?.tests).toMatchObject({ ran: 1, failed: 0 })
    const heard = manifest?.canaries?.steps.find((each) => each.step === name)
    expect(heard).toEqual({ step: name, status: 'heard', files: [tests] })
  })
})

test('honest work in all of them is told nothing', () => {
  expect(manifest?.integrity?.findings).toEqual([])
  expect(manifest?.tracing).toEqual({ status: 'traced' })
})
