import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../scenarios/world/fixture.ts'
import { createCrewWorld, planned } from './crew-world.ts'

/** Contains the script, one other file, and a program that prints only ids. */
let folder: string
let script: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-completion-'))
  script = join(folder, 'completion')
  await writeFile(script, (await runHere(['completion', 'bash'], env)).stdout)
  await writeFile(join(folder, 'value.txt'), '')
  await writeFile(join(folder, 'drydock'), '#!/bin/sh\ntest "$*" = "completion ids" && echo durations-0a1b2c parser\n')
  await chmod(join(folder, 'drydock'), 0o755)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const env = { PATH: process.env.PATH ?? '', HOME: tmpdir() }

/** Completes the last word of each command line, which ends in a comma; prints a line for each. */
const completing = `source "$1"; shift; complete -p drydock >&2
for word in "$@"; do
  if [ "$word" != , ]; then COMP_WORDS+=("$word"); continue; fi
  COMP_CWORD=$(("\${#COMP_WORDS[@]}" - 1)); _drydock; printf '%s\\t' "\${COMPREPLY[@]}"; echo; COMP_WORDS=()
done`

/** Bash's completions for the last word of each command line. */
function offered(...lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const words = lines.flatMap((line) => ['drydock', ...line, ','])
  const said = execFileSync('bash', ['--norc', '-euc', completing, 'bash', script, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, PATH: [folder, env.PATH].join(delimiter) },
  })
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').filter(Boolean))
}

test('bash completes every command, its options, and what they may be', async () => {
  const { stdout } = await runHere(['--help'], env)
  const listed = [...stdout.slice(0, stdout.indexOf('Examples:')).matchAll(/^ {2}([a-z-]+) .*$/gm)]
  const names = listed.map(([, name = '']) => name)
  const commands = names.filter((each) => each !== 'help')
  const flags = commands.map(async (name) => {
    const help = (await runHere([name, '--help'], env)).stdout
    return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag).toSorted()
  })
  const found = offered(...commands.map((name) => [name, '-']))
  expect(found.map((each) => each.toSorted())).toEqual(await Promise.all(flags))
  expect(
    offered([''], ['re'], ['task', '--sandbox', 'p'], ['scout', ''], ['help', 'stat'], ['verify', '--config', 'val']),
  ).toEqual([
    [...names, '--help', '--version'],
    ['report', 'receipt', 'reply', 'review', 'resume', 'retry', 'restore'],
    ['podman'],
    ['codebase', 'build'],
    ['status', 'state'],
    ['value.txt'],
  ])
})

test('bash completes the ids of runs and stories', async ({ onTestFinished }) => {
  expect(offered(['status', ''], ['report', 'pa'])).toEqual([['durations-0a1b2c', 'parser'], ['parser']])
  const world = await createCrewWorld()
  onTestFinished(() => world.remove())
  await world.addRun('durations-0a1b2c', 'MONITORING')
  await world.addStory('durations-0a1b2c', planned('parser'), 'QUEUED')
  expect((await world.fixture.drydock('completion', 'ids')).stdout).toBe('durations-0a1b2c\nparser\n')
})

test.each(['zsh', 'fish'])('the script for %s has every command and option', async (shell) => {
  const { exitCode, stdout: script } = await runHere(['completion', shell], env)
  expect(exitCode).toBe(0)
  for (const name of ['run', 'status', 'completion']) expect(script).toMatch(new RegExp(`[ ']${name}[ ']`))
  expect(script).toContain(shell === 'fish' ? '-l budget-usd -r' : '--budget-usd')
})

test('a shell that is not known is refused', async () => {
  expect(await runHere(['completion', 'tcsh'], env)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  })
})
