import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from '../scenarios/world/fixture.ts'
import { type CrewWorld, createCrewWorld, planned } from './crew-world.ts'

let world: CrewWorld
let file: string

beforeEach(async () => {
  world = await createCrewWorld()
  file = join(world.fixture.folder, 'completion')
  await writeFile(file, (await runHere(['completion', 'bash'], world.fixture.env)).stdout)
})

afterEach(() => world.remove())

const bin = join(import.meta.dirname, '..', '..', 'bin')

/** What bash offers for the last word of a command line. */
function offered(...words: string[]): readonly string[] {
  const { env, repo } = world.fixture
  const script = `source "$1"; shift; complete -p drydock >&2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drydock; printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = execFileSync('bash', ['--norc', '-euc', script, 'bash', file, 'drydock', ...words], {
    ...{ cwd: repo, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    env: { ...env, PATH: [bin, env.PATH].join(delimiter) },
  })
  return said.split('\n').filter(Boolean)
}

test('bash completes every command, its options, and what they may be', async () => {
  const { stdout } = await runHere(['--help'], world.fixture.env)
  const listed = [...stdout.slice(0, stdout.indexOf('Examples:')).matchAll(/^ {2}([a-z-]+) .*$/gm)]
  const names = listed.map(([, name = '']) => name)
  expect(offered('')).toEqual([...names, '--help', '--version'])
  expect(offered('re')).toEqual(['report', 'receipt', 'reply', 'review', 'resume', 'retry', 'restore'])
  for (const name of names.filter((each) => each !== 'help')) {
    const help = (await runHere([name, '--help'], world.fixture.env)).stdout
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag)
    expect(offered(name, '-').toSorted(), name).toEqual(flags.toSorted())
  }
  expect(offered('task', '--sandbox', 'p')).toEqual(['podman'])
  expect(offered('scout', '')).toEqual(['codebase', 'build'])
  expect(offered('help', 'stat')).toEqual(['status', 'state'])
  expect(offered('verify', '--config', 'val')).toEqual(['value.txt'])
})

test('bash completes the ids of runs and stories', async () => {
  await world.addRun('durations-0a1b2c', 'MONITORING')
  await world.addStory('durations-0a1b2c', planned('parser'), 'QUEUED')
  expect(offered('status', '')).toEqual(['durations-0a1b2c', 'parser'])
  expect(offered('report', 'pa')).toEqual(['parser'])
})

test.each(['zsh', 'fish'])('the script for %s has every command and option', async (shell) => {
  const { exitCode, stdout: script } = await runHere(['completion', shell], world.fixture.env)
  expect(exitCode).toBe(0)
  for (const name of ['run', 'status', 'completion']) expect(script).toMatch(new RegExp(`[ ']${name}[ ']`))
  expect(script).toContain(shell === 'fish' ? '-l budget-usd -r' : '--budget-usd')
})

test('a shell that is not known is refused', async () => {
  expect(await runHere(['completion', 'tcsh'], world.fixture.env)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  })
})
