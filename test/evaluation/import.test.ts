import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hiddenCommand } from '../../src/evaluation/import/runner-command.ts'
import { createFixture, runHere } from '../scenarios/world/fixture.ts'
import { writeIn } from './bench-world.ts'
import { importInto } from './import-world.ts'

const patchOf = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`

test('a missing checkout is reported', async () => {
  const fixture = await createFixture()
  const { exitCode, stderr } = await runHere(
    ['bench', join(fixture.folder, 'none'), '--import', 'polyglot'],
    fixture.env,
  )
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${fixture.folder}/none does not exist.`)])
  await fixture.remove()
})

test('each pair of features of CooperBench becomes a spec with the hidden tests of both', async () => {
  const fixture = await createFixture()
  const base = await fixture.git('rev-parse', 'HEAD')
  const task = 'checkout/dataset/words_task/task7'
  const feature = (n: number) => ({
    [`${task}/feature${n}/feature.md`]: `**Title**: word ${n}\n`,
    [`${task}/feature${n}/feature.patch`]: patchOf(`word${n}.txt`, `word${n}`),
    [`${task}/feature${n}/tests.patch`]: patchOf(`tests/test_word${n}.py`, `open("word${n}.txt")`),
  })
  await writeIn(fixture.folder, {
    [`${task}/setup.sh`]: `REPO_NAME="x"\nBASE_COMMIT="${base}"\ngit clone https://example.org/owner/repo.git "$REPO_NAME"\n`,
    [`${task}/runner.sh`]: 'set -e\npip install pytest\n\ntimeout 300 python -m pytest "$TEST_PATH" -v\n',
    [`${task}/combined.patch`]: patchOf('word1.txt', 'word1') + patchOf('word2.txt', 'word2'),
    ...feature(1),
    ...feature(2),
    ...feature(10),
  })
  await writeIn(fixture.folder, {
    'config.json': '{ "verification": { "steps": [{ "name": "a", "command": "true" }] } }',
  })
  const imported = await importInto(
    fixture,
    'cooperbench',
    '--repos',
    fixture.folder,
    '--config',
    join(fixture.folder, 'config.json'),
  )
  const ids = ['f1-f2', 'f1-f10', 'f2-f10'].map((pair) => `words_task-task7-${pair}`)
  expect(imported.suite.tasks.map(({ id, mode }) => ({ id, mode }))).toEqual(ids.map((id) => ({ id, mode: 'run' })))
  expect(imported.suite.tasks[0]).toMatchObject({
    base,
    gold: { patch: 'gold/words_task-task7.patch' },
    hidden: [
      {
        patch: 'hidden/words_task-task7-f1.patch',
        command: 'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest tests/test_word1.py -v',
      },
      {
        patch: 'hidden/words_task-task7-f2.patch',
        command: 'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest tests/test_word2.py -v',
      },
    ],
  })
  expect(await imported.read('specs/words_task-task7-f1-f10.md')).toMatch(/word 1\n.*word 10\n/s)
  // The generated suite is valid: it is read and checked before the missing task is reported.
  expect((await imported.selfTest('--tasks', 'none')).stderr).toContain(`Its tasks: ${ids.join(', ')}`)
  await fixture.remove()
})

test.each([
  ['timeout 300 python -m pytest tests/a.py -v', 'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest tests/a.py -v'],
  ['python -m pytest tests/a.py -v 2>&1 | tee /tmp/log', 'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest tests/a.py -v'],
  [
    'uv pip install pytest\npython -m pytest $SPEC -v',
    'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest tests/test_b.py -v',
  ],
  ['go test -run "$P" ./...\ngo test ./...', "go test -run '^(TestOne|TestTwo)$' ./..."],
  ['cargo test -p x -- a\ncargo test -p x -- b', 'cargo test -p x -- a && cargo test -p x -- b'],
  ['npx pnpm@8 test "src/a.test.tsx" 2>&1', 'npx pnpm@8 test "src/a.test.tsx"'],
  ['python -m pytest "a.py"\npython -m pytest "$file" -v', 'PATH="$PWD/.venv/bin:$PATH" python3 -m pytest "a.py"'],
  ['echo nothing', null],
])('of a runner script, %j, the tests are run by one command', (runner, command) => {
  const tests = '+func TestOne(t *testing.T) {\n+func TestTwo(t *testing.T) {\n'
  expect(hiddenCommand(runner, { tests, changed: ['tests/test_b.py', 'data.bin'] })).toBe(command)
})

test('an exercise of the polyglot benchmark becomes a task without its tests and its solution', async () => {
  const fixture = await createFixture()
  const python = 'checkout/python/exercises/practice/one'
  const javascript = 'checkout/javascript/exercises/practice/two'
  const meta = (files: object) => JSON.stringify({ authors: [], files, blurb: 'b' })
  await writeIn(fixture.folder, {
    [`${python}/.docs/instructions.md`]: '# Instructions\n\nReturn one.\n',
    [`${python}/.meta/config.json`]: meta({
      solution: ['one.py'],
      test: ['one_test.py'],
      example: ['.meta/example.py'],
    }),
    [`${python}/.meta/example.py`]: 'def one():\n    return 1\n',
    [`${python}/one.py`]: 'def one():\n    pass\n',
    [`${python}/one_test.py`]:
      'import unittest\nfrom one import one\n\n\nclass OneTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one(), 1)\n',
    [`${javascript}/.docs/instructions.md`]: '# Instructions\n',
    [`${javascript}/.meta/config.json`]: meta({ solution: ['two.js'], test: ['two.spec.js'], example: [] }),
    [`${javascript}/two.js`]: 'export const two = () => 0\n',
    [`${javascript}/two.spec.js`]: "test('a', () => {})\nxtest('b', () => {})\n",
    'config.json': '{ "verification": { "steps": [{ "name": "a", "command": "python3 -c \'import one\'" }] } }',
  })
  const imported = await importInto(fixture, 'polyglot', '--config', join(fixture.folder, 'config.json'))
  expect(imported.suite.tasks.map(({ id, mode }) => ({ id, mode }))).toEqual([
    { id: 'javascript-two', mode: 'task' },
    { id: 'python-one', mode: 'task' },
  ])
  expect(await imported.read('specs/python-one.md')).toContain('Return one.')
  expect(await imported.read('hidden/javascript-two/two.spec.js')).toBe("test('a', () => {})\ntest('b', () => {})\n")
  await expect(imported.read('base/python-one/one_test.py')).rejects.toThrow('ENOENT')
  await expect(imported.read('base/python-one/.meta/example.py')).rejects.toThrow('ENOENT')
  await fixture.remove()
})

test('a checkout without a usable task is told, with the reason for each', async () => {
  const fixture = await createFixture()
  const task = 'checkout/words_task/task1'
  await writeIn(fixture.folder, {
    [`${task}/setup.sh`]: 'BASE_COMMIT="0123456789abcdef"\ngit clone https://example.org/a/gone x\n',
    [`${task}/runner.sh`]: 'python -m pytest\n',
  })
  const checkout = join(fixture.folder, 'checkout')
  const { exitCode, stderr } = await runHere(['bench', checkout, '--import', 'cooperbench'], fixture.env)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`${checkout} has no task of cooperbench that can be used.`)
  expect(stderr).toContain(`words_task-task1: there is no clone ${checkout}/repos/gone`)
  await fixture.remove()
})
