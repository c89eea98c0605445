import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFixture, type Fixture, greenLanes, parseEvents } from '../world/fixture.ts'

let fixture: Fixture

beforeEach(async () => {
  fixture = await createFixture()
  // Protects the temporary folders of this machine.
  vi.stubEnv('TMPDIR', fixture.folder)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await fixture.remove()
})

const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'drydock')

/** A separate process, which notices the files that this one has open. */
function drydock(...args: string[]) {
  const env = { ...fixture.env, TMPDIR: fixture.folder }
  const stdout = execFileSync(bin, [...args, '--json'], { cwd: fixture.repo, env, encoding: 'utf8', stdio: 'pipe' })
  return parseEvents(stdout)
}

const branches = async () =>
  (await fixture.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/drydock/')).split('\n')

/** A folder in Drydock's form, with a file in it, last changed some hours ago. */
async function temporary(name: string, hours: number): Promise<string> {
  const folder = join(fixture.folder, name)
  await mkdir(folder)
  await writeFile(join(folder, 'file'), '')
  const at = new Date(Date.now() - hours * 3_600_000)
  await utimes(folder, at, at)
  return folder
}

test('cleanup shows leftovers, and removes them only with --yes; unique work only with --unmerged', async () => {
  await fixture.git('switch', '-qc', 'drydock/say-new')
  await fixture.git('commit', '-qm', 'Say new', '--allow-empty')
  await fixture.git('switch', '-q', 'main')
  await fixture.git('branch', 'drydock/merged')
  await fixture.git('worktree', 'add', '-qb', 'drydock/here', join(fixture.folder, 'worktree'))
  await fixture.git('branch', 'other/merged')
  const before = ['drydock/here', 'drydock/merged', 'drydock/say-new']
  expect(await branches()).toEqual(before)

  const cleanup = async (...args: string[]) => (await fixture.drydock('cleanup', ...args, '--json')).events
  const [shown] = await cleanup()
  expect(shown).toMatchObject({ type: 'cleanup', done: false, folders: [] })
  expect(shown?.branches).toEqual([
    { name: 'drydock/here', sha: expect.any(String), goes: false, why: expect.stringContaining('checked out') },
    { name: 'drydock/merged', sha: expect.any(String), goes: true, why: expect.stringContaining('main has it') },
    { name: 'drydock/say-new', sha: expect.any(String), goes: false, why: expect.stringContaining('--unmerged') },
  ])
  expect(await branches()).toEqual(before)

  const told = async () => (await fixture.drydock('cleanup')).stderr
  expect(await told()).toContain('To remove what goes, and unneeded state:  drydock cleanup --yes')

  await cleanup('--yes')
  expect(await branches()).toEqual(['drydock/here', 'drydock/say-new'])
  // From here on only rows that stay are left.
  expect(await told()).toContain('Nothing is removed yet. To remove unneeded state:')
  await cleanup('--unmerged')
  expect(await branches()).toEqual(['drydock/here', 'drydock/say-new'])
  await cleanup('--unmerged', '--yes')
  expect(await branches()).toEqual(['drydock/here'])
  expect(await fixture.git('branch', '--list', 'other/*')).toContain('other/merged')
})

test('cleanup removes temporary folders that nobody uses, and no others', async () => {
  const left = await temporary('drydock-demo-left', 2)
  const tried = await temporary('drydock-init-left', 2)
  const used = await temporary('drydock-pipe-used', 2)
  const fresh = await temporary('drydock-demo-fresh', 0)
  const foreign = await temporary('drydock-of-somebody', 2)
  await using _ = await open(join(used, 'file'))
  const [said] = drydock('cleanup')
  expect(new Set(said?.folders as string[])).toEqual(new Set([left, tried]))
  expect(existsSync(left)).toBe(true)
  drydock('cleanup', '--yes')
  const all = [left, tried, used, fresh, foreign]
  expect(all.map((folder) => existsSync(folder))).toEqual([false, false, true, true, true])
})

test('uninstall says what there is, and removes state, keys and caches only with --yes, and nothing else that lies there', async () => {
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  expect(done.exitCode, done.stderr).toBe(0)
  const root = fixture.env.DRYDOCK_HOME ?? ''
  await fixture.drydock('receipt', 'key')
  const [state] = (await readdir(root)).filter((name) => name.startsWith('repo-'))
  await mkdir(join(root, 'mine'))
  const config = join(fixture.env.XDG_CONFIG_HOME ?? '', 'drydock', 'config.json')
  await mkdir(dirname(config), { recursive: true })
  await writeFile(config, '{}')

  const demo = await temporary('drydock-demo-fresh', 0)

  const [said] = drydock('uninstall')
  expect(said?.places).toContainEqual({ what: 'temporary', path: demo, bytes: expect.any(Number) })
  expect(said).toMatchObject({ done: false, config, branches: ['drydock/say-new'] })
  expect(said?.places).toContainEqual({ what: 'state', path: join(root, state ?? ''), bytes: expect.any(Number) })
  expect(existsSync(join(root, state ?? '', 'drydock.db'))).toBe(true)

  const database = await open(join(root, state ?? '', 'drydock.db'))
  expect(() => drydock('uninstall', '--yes')).toThrow(/A process still works/)
  await database.close()
  drydock('uninstall', '--yes')
  expect(await readdir(root)).toEqual(['mine'])
  expect(existsSync(config)).toBe(true)
  expect(await branches()).toEqual(['drydock/say-new'])
})
