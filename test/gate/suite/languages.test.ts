import { cCheats, goCheats, rustCheats } from './compiled-cheats.ts'
import { cTree, goTree, rustTree } from './compiled-trees.ts'
import { cheats, isOfText, printing } from './gate-world.ts'
import { pytestCheats, unittestCheats } from './python-cheats.ts'
import { tree as pythonTree, withPytest } from './python-tree.ts'

/** The runner's output for the unchanged tree. The findings are on the text of the change. */
const unittest = ['means', 'even', 'load', 'examples', 'report'].map(
  (name) => `test_${name} (tests.test_stats.Stats) ... ok\n`,
)
const printed = {
  [pythonTree.language]: `${unittest.join('')}\n${'-'.repeat(70)}\nRan 5 tests in 0.001s\n\nOK\n`,
  [withPytest.language]: `collected 3 items\n\n${['examples', 'even', 'about'].map((name) => `tests/test_stats.py::test_${name} PASSED\n`).join('')}\n===== 3 passed in 0.01s =====\n`,
  [goTree.language]: `${['Square', 'Even', 'Report'].map((name) => `=== RUN   Test${name}\n--- PASS: Test${name} (0.00s)\n`).join('')}PASS\nok  \texample.org/area\t0.001s\n`,
  [rustTree.language]: `\nrunning 3 tests\n${['squares', 'roots', 'inside'].map((name) => `test ${name} ... ok\n`).join('')}\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n`,
  [cTree.language]: 'TAP version 13\nok 1 - squares\nok 2 - even\nok 3 - odd\n1..3\n',
}

for (const [tree, cases] of [
  [pythonTree, unittestCheats],
  [withPytest, pytestCheats],
  [goTree, goCheats],
  [rustTree, rustCheats],
  [cTree, cCheats],
] as const) {
  const steps = [{ command: 'tests' }]
  const own = cases.filter(isOfText).map(({ asked: _, ...row }) => row)
  cheats({ ...tree, steps, asked: {}, isThere: true }, printing('tests', printed[tree.language] ?? ''), own)
}
