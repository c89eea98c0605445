import { existsSync } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BenchWorld, createBenchWorld, writeIn } from './bench-world.ts'

type Change = (world: BenchWorld) => object | Promise<object>

const without =
  (key: string): Change =>
  ({ task }) =>
    Object.fromEntries(Object.entries(task).filter(([name]) => name !== key))

const withField =
  (fields: object): Change =>
  ({ task }) => ({ ...task, ...fields })

/** A task with one fault, and its message. */
const wrong: Readonly<Record<string, readonly [Change, string]>> = {
  'a missing field': [without('spec'), 'tasks[0].spec: is missing'],
  'missing hidden tests': [without('hidden'), 'tasks[0].hidden: is missing'],
  'a hidden test without a command': [
    withField({ hidden: { files: { 'a.sh': 'check.sh' } } }),
    'tasks[0].hidden[0].command: is missing',
  ],
  'hidden tests without files': [
    withField({ hidden: { command: 'true' } }),
    'tasks[0].hidden[0]: needs exactly one of "patch" and "files"',
  ],
  'an unknown field': [withField({ colour: 'red' }), 'tasks[0].colour: unknown key'],
  'a wrong type': [withField({ timeout_sec: 'soon' }), 'tasks[0].timeout_sec: '],
  'no time': [withField({ timeout_sec: 0 }), 'tasks[0].timeout_sec: '],
  'an unknown mode': [withField({ mode: 'crew' }), 'tasks[0].mode: '],
  'a repository that is not there': [withField({ repo: '../nowhere' }), 'tasks[0].repo: there is no folder '],
  'a base that does not exist': [withField({ base: 'v9' }), 'tasks[0].base: '],
  'no base in a git repository': [without('base'), 'tasks[0].base: is missing: a git repository needs the commit'],
  'a base for plain files': [withField({ repo: 'plain' }), 'tasks[0].base: '],
  'plain files outside of the suite': [
    ({ task: { base: _, ...task } }) => ({ ...task, repo: '../repo/.drydock' }),
    'tasks[0].repo: ',
  ],
  'hidden tests in the repository': [
    ({ task: { base: _, ...task } }) => ({
      ...task,
      repo: 'plain',
      config: 'fine.json',
      hidden: { files: { 'a.sh': 'plain/a.sh' }, command: 'true' },
    }),
    'tasks[0].hidden[0]: plain/a.sh lies in the repository of the task, where agents see it',
  ],
  'a spec that is not there': [withField({ spec: 'none.md' }), 'tasks[0].spec: there is no file none.md in the suite'],
  'a spec outside of the suite': [withField({ spec: '../spec.md' }), 'tasks[0].spec: must be a path in the folder'],
  'a link out of the suite': [withField({ spec: 'link.md' }), 'tasks[0].spec: link.md leads out of the suite'],
  'a hidden file that is not there': [
    withField({ hidden: { files: { 'a.sh': 'none.sh' }, command: 'true' } }),
    'tasks[0].hidden[0].files["a.sh"]: there is no file none.sh',
  ],
  'a hidden file out of the repository': [
    withField({ hidden: { files: { '../a.sh': 'check.sh' }, command: 'true' } }),
    'tasks[0].hidden[0].files["../a.sh"]: must be a path in the repository',
  ],
  'a hidden file in .git': [
    withField({ hidden: { files: { '.git/hooks/a': 'check.sh' }, command: 'true' } }),
    'tasks[0].hidden[0].files[".git/hooks/a"]: must be a path in the repository',
  ],
  'a hidden patch that does not apply': [
    withField({ hidden: { patch: 'bad.patch', command: 'true' } }),
    'tasks[0].hidden[0].patch: does not apply to the base',
  ],
  'a hidden patch that leads out of the repository': [
    withField({ hidden: { patch: 'out.patch', command: 'true' } }),
    'tasks[0].hidden[0].patch: does not apply to the base',
  ],
  'an empty patch': [withField({ gold: { patch: 'empty.patch' } }), 'tasks[0].gold.patch: does not apply to the base'],
  'a configuration that is none': [withField({ config: 'bad.json' }), 'tasks[0].config: '],
  'a configuration without a step': [withField({ config: 'empty.json' }), 'tasks[0].config: empty.json names no'],
  'a story that depends on none': [
    withField({ gold: { stories: [{ id: 'a', files: { a: 'new.txt' }, depends_on: ['b'] }] } }),
    'tasks[0].gold.stories[0].depends_on: no story before it has the id "b"',
  ],
  'a wrong solution without an expectation': [
    withField({ wrong: { bad: { files: { a: 'new.txt' } } } }),
    'tasks[0].wrong.bad.expect: is missing',
  ],
}

test('an error in a task is reported with its place, before anything starts', async () => {
  const world = await createBenchWorld()
  await writeIn(world.suite, {
    'plain/value.txt': 'old\n',
    'plain/a.sh': 'true\n',
    'bad.patch': '--- a/value.txt\n+++ b/value.txt\n@@ -1 +1 @@\n-other\n+new\n',
    'out.patch': '--- /dev/null\n+++ b/../../out.txt\n@@ -0,0 +1 @@\n+new\n',
    'empty.patch': '',
    'bad.json': '{ "verification": { "stepz": [] } }',
    'empty.json': '{}',
    'fine.json': '{ "verification": { "steps": [{ "name": "a", "command": "true" }] } }',
  })
  await symlink('/etc/hostname', join(world.suite, 'link.md'))
  for (const [name, [change, said]] of Object.entries(wrong)) {
    await world.suiteOf(await change(world))
    const { exitCode, stderr } = await world.bench('--self-test')
    expect(stderr, name).toContain(`drydock: ${world.suite}/suite.json: ${said}`)
    expect(exitCode, name).toBe(2)
  }
  expect(existsSync(world.out)).toBe(false)
})

test('a second task with the id of the first is told, and so are all problems at once', async () => {
  const world = await createBenchWorld()
  await world.suiteOf(world.task, world.task)
  expect((await world.bench('--self-test')).stderr).toContain('tasks[1].id: "say-new" is already the id of tasks[0]')
  await world.suiteOf({ ...world.task, spec: 'none.md' }, { ...world.task, id: 'b', base: 'v9' })
  const { stderr } = await world.bench('--self-test')
  expect(stderr).toContain('tasks[0].spec: ')
  expect(stderr).toContain('tasks[1].base: ')
})

test('a suite that is not JSON, or not there, is told', async () => {
  const world = await createBenchWorld()
  await writeIn(world.suite, { 'suite.json': '{ "tasks": [,] }' })
  expect((await world.bench('--self-test')).stderr).toContain('suite.json: line 1, column 13: this is not JSON')
  await rm(join(world.suite, 'suite.json'))
  const { stderr, exitCode } = await world.bench('--self-test')
  expect([stderr, exitCode]).toEqual([expect.stringContaining(`${world.suite}/suite.json does not exist.`), 2])
})

test('a task, an arm or a solution that the suite does not have is told', async () => {
  const world = await createBenchWorld()
  const said = async (...args: readonly string[]) => (await world.bench(...args)).stderr
  expect(await said('--tasks', 'none')).toBe('drydock: The suite has no task none.\nIts tasks: say-new\n')
  expect(await said('--arms', 'crew,pair')).toBe('drydock: There is no arm pair.\nArms: crew, task, solo\n')
  expect(await said('--play', 'worse')).toContain('These tasks have no solution worse: say-new.')
  expect(await said()).toContain('No model is configured for the editor')
})

test('a suite that sandboxes show is refused where a model works', async () => {
  const world = await createBenchWorld()
  await writeIn(world.folder, {
    'config/drydock/config.json': JSON.stringify({ sandbox: { read_only_paths: [world.folder] } }),
  })
  const { exitCode, stderr } = await world.bench('--model', 'ollama:any')
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`so a model could read ${world.suite}.`)])
})
