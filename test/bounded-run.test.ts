import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

let tools: string
beforeEach(async () => {
  tools = await mkdtemp(join(tmpdir(), 'drydock-bounded-run-'))
})
afterEach(() => rm(tools, { recursive: true, force: true }))

/** Runs `scripts/test.ts` with a vitest that says what it is asked to run, and ends so. */
async function run(minutes: string | undefined, { exitCode = 0, secondsOfPart = 0 } = {}) {
  const vitest = join(tools, 'vitest')
  const lines = [
    '#!/bin/sh',
    `echo "$@" >>'${tools}/calls'`,
    `case $* in *--shard*) sleep ${secondsOfPart};; esac`,
    `exit ${exitCode}`,
  ]
  await writeFile(vitest, `${lines.join('\n')}\n`)
  await chmod(vitest, 0o755)
  const PATH = `${tools}:${process.env.PATH}`
  const env = { PATH, ...(minutes !== undefined && { TEST_MINUTES: minutes }) }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.ts'], { cwd: root, env, encoding: 'utf8' })
  const calls = (await readFile(join(tools, 'calls'), 'utf8').catch(() => '')).trim().split('\n')
  return { status, stdout, calls }
}

test('without a bound all tests run at once', async () => {
  expect(await run(undefined)).toEqual({ status: 0, stdout: '', calls: ['run'] })
})

const partsOf = (project: string, parts: number) =>
  Array.from({ length: parts }, (_, n) => `run --project ${project} --shard=${n + 1}/${parts}`)

test('within the bound every part runs once, after the units', async () => {
  const { status, stdout, calls } = await run('10')
  expect([status, stdout, calls[0]]).toEqual([0, '', 'run --project units'])
  expect(calls.slice(1, 5).sort()).toEqual(partsOf('main', 4))
  expect(calls.slice(5).sort()).toEqual(partsOf('more', 8))
})

test('beyond the bound no part begins, and what is left out is said', async () => {
  const { status, stdout, calls } = await run('0')
  expect([status, calls]).toEqual([0, ['run --project units']])
  expect(stdout).toMatch(/4 of 4 parts of "main", 8 of 8 parts of "more".*vitest run --project main --project more/)
})

test('a part for which there is no room left does not begin', async () => {
  const { status, stdout, calls } = await run('0.1', { secondsOfPart: 4 })
  expect([status, calls.length]).toEqual([0, 2])
  expect(stdout).toContain('3 of 4 parts of "main", 8 of 8 parts of "more"')
})

test('a red test ends it, and a bound that is no number is refused', async () => {
  expect(await run('10', { exitCode: 1 })).toMatchObject({ status: 1, calls: ['run --project units'] })
  expect((await run('soon')).status).toBe(1)
})
