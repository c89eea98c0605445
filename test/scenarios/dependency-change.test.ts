import { afterEach, expect, test } from 'vitest'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, plan, resultOf } from './world/fixture.ts'

let fixture: MemoryFixture
afterEach(() => fixture.remove())

const files = (...names: readonly string[]) => {
  const dependencies = Object.fromEntries(names.map((name) => [name, '^1.0.0']))
  const packages = { '': { dependencies }, ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, {}])) }
  return {
    'package.json': `${JSON.stringify({ name: 'root', dependencies })}\n`,
    'package-lock.json': `${JSON.stringify({ lockfileVersion: 3, packages })}\n`,
  }
}
const writes = (...names: readonly string[]) =>
  Object.entries({ 'value.txt': 'new\n', ...files(...names) }).map(([path, content]) =>
    call('write_file', { path, content }),
  )

/** The messages of npm and of the proxy about an unavailable package. */
const said: Readonly<Record<string, string>> = {
  'left-padd':
    'npm error code E404\nnpm error 404 Not Found - GET https://packages.example.org/left-padd - Not found\n',
  elsewhere:
    'npm error code E403\n[drydock] network: files.exampel.org:443 is not among the hosts that may be reached\n',
}
const npm: Program = (seen) => {
  const { dependencies } = JSON.parse(seen.read('package.json') ?? '') as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    const output = said[name]
    if (output !== undefined) return { exitCode: 1, output }
    seen.write(`node_modules/${name}/index.js`, '')
  }
  return 0
}

const [network, inputs] = [['registry'], ['package.json', 'package-lock.json']]
const prepare = [{ name: 'install', command: 'npm ci', inputs, outputs: ['node_modules'], network }]
const steps = [{ name: 'test', command: 'grep -q new value.txt && test -f node_modules/one/index.js' }]

async function task(...coding: readonly object[]) {
  const config = JSON.stringify({ verification: { prepare, steps } })
  fixture = await createMemoryFixture({
    files: { ...files('one'), '.gitignore': 'node_modules\n', '.drydock/config.json': config },
    programs: { npm },
  })
  const lanes = {
    'editor/task/PLANNING': [plan({ files: ['value.txt', ...inputs] })],
    'editor/task/CODING': coding,
  }
  const ended = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
  expect(resultOf(ended), ended.stdout + ended.stderr).toMatchObject({ status: 'DONE' })
  return ended
}

test('a task that adds a dependency is DONE with exactly the findings on its manifest and its lock file', async () => {
  const ended = await task(...writes('one', 'two'), change())
  const [story] = resultOf(ended).stories as { findings: { file: string; state: string }[] }[]
  expect(story?.findings.map(({ file, state }) => [file, state])).toEqual(
    expect.arrayContaining([
      ['package-lock.json', 'open'],
      ['package.json', 'open'],
    ]),
  )
  expect(story?.findings).toHaveLength(2)
})

test.each([
  ['that the registry does not have', 'left-padd', '404 Not Found - GET https://packages.example.org/left-padd'],
  ['from a host that may not be reached', 'elsewhere', 'files.exampel.org:443 is not among the hosts'],
])(
  'an editor that adds a dependency %s is told so, and where to correct it, and continues',
  async (_what, name, words) => {
    const fixed = change('Without it', { hypothesis: 'The name of the package is wrong.' })
    const ended = await task(...writes('one', name), change(), ...writes('one'), fixed)
    const results = await conversationOf(fixture, ended).results('editor/task/CODING')
    const told = results.find(({ tool }) => tool === 'submit_change')?.output ?? ''
    expect(told).toMatch(/^FAIL \(run_/)
    expect(told).toContain(words)
    expect(told).toContain(
      '[drydock] prepare step install fails for this change but not for its base: correct what the log names in package.json, package-lock.json',
    )
  },
)
