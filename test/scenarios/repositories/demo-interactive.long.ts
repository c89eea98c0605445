import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch } from '../world/process.ts'

const run = promisify(execFile)
const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

let folder: string

/** The environment of a new user: an empty home, and only the package's own Node. */
const envOf = (home: string) => ({ PATH: process.env.PATH ?? '', HOME: join(home, 'home'), TMPDIR: home })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function demoIn(parent: string): Promise<string> {
  const name = (await readdir(parent)).find((each) => each.startsWith('drydock-demo-'))
  if (name === undefined) throw new Error(`there is no demo in ${parent}`)
  return join(parent, name)
}

test('with --interactive the question waits for the person, and the end shows the commits and where to look', async () => {
  const parent = join(folder, 'interactive')
  await mkdir(join(parent, 'home'), { recursive: true })
  const demo = launch(['demo', '--interactive'], { env: envOf(parent) })
  await demo.line(/ASKS YOU/)
  const place = await demoIn(parent)
  const there = { cwd: join(place, 'duration'), env: { ...envOf(parent), DRYDOCK_HOME: join(place, 'state') } }
  await run(bin, ['reply', '1', 'Print weeks.'], there)
  const ended = await demo.ended
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(ended.stderr).toMatch(/answered +message 1\n\nPrint weeks\.\n/)
  const ending = ended.stdout.slice(ended.stdout.indexOf('git log --oneline'))
  expect(ending.match(/^ {2}[0-9a-f]{7,} .+$/gm)).toHaveLength(4)
  expect(ending).toContain(`  cd ${join(place, 'duration')}\n  export DRYDOCK_HOME=${join(place, 'state')} PATH=`)
  const { stdout } = await run(bin, ['chat', '--json'], there)
  expect(stdout.match(/"agent_id":"human"/g)).toHaveLength(1)
})
