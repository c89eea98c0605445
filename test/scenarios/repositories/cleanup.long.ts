import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes, parseEvents } from '../world/fixture.ts'

let fixture: Fixture

beforeEach(async () => {
  fixture = await createFixture()
})

afterEach(() => fixture.remove())

const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'drydock')

/** A separate process, whose temporary folders are in the fixture's folder. */
function drydock(...args: string[]) {
  const env = { ...fixture.env, TMPDIR: fixture.folder }
  const stdout = execFileSync(bin, [...args, '--json'], { cwd: fixture.repo, env, encoding: 'utf8', stdio: 'pipe' })
  return parseEvents(stdout)
}

/** A folder in Drydock's form, with a file in it, last changed some hours ago. */
async function temporary(name: string, hours: number): Promise<string> {
  const folder = join(fixture.folder, name)
  await mkdir(folder)
  await writeFile(join(folder, 'file'), '')
  const at = new Date(Date.now() - hours * 3_600_000)
  await utimes(folder, at, at)
  return folder
}

/**
 * A folder whose subfolders are deeper than the longest path, which any command of an agent can
 * create.
 */
function bury(folder: string): void {
  const dig = 'for n in $(seq 300); do mkdir ddddddddddddddddddd && cd -P ddddddddddddddddddd || exit 1; done'
  execFileSync('bash', ['-c', dig], { cwd: folder })
}

test('an agent’s leftovers are removed however they were made, and no branch name is run as a command', async () => {
  const left = await temporary('drydock-demo-left', 0)
  bury(left)
  await utimes(left, new Date(0), new Date(0))
  const name = `drydock/$(touch\u00a0x);'`
  await fixture.git('branch', name)
  const env = { ...fixture.env, TMPDIR: fixture.folder }
  const { stdout, stderr } = spawnSync(bin, ['cleanup', '--yes'], { cwd: fixture.repo, env, encoding: 'utf8' })
  const back = /To bring it back: +git branch (.*) [0-9a-f]{40}$/m.exec(stdout + stderr)?.[1] ?? ''
  expect(execFileSync('bash', ['-c', `printf %s ${back}`], { cwd: fixture.folder, encoding: 'utf8' })).toBe(name)
  expect(existsSync(left)).toBe(false)

  await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  const root = fixture.env.DRYDOCK_HOME ?? ''
  bury(join(root, (await readdir(root)).find((each) => each.startsWith('repo-')) ?? ''))
  drydock('uninstall', '--yes')
  expect(existsSync(root)).toBe(false)
})
