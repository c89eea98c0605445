import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type CommandResult, createFixture, type Fixture, type FixtureOptions, greenLanes } from '../world/fixture.ts'
import { configureUser } from '../world/hook.ts'

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })

/** A finished task, and main, which may have moved since. */
async function done(
  options: FixtureOptions = {},
  configuration: object | null = null,
): Promise<Fixture & { branch: string }> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  if (configuration !== null) await configureUser(fixture, configuration)
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  return { ...fixture, branch: String(task.events.at(-1)?.branch) }
}

async function commit(fixture: Fixture, files: Readonly<Record<string, string>>): Promise<string> {
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'Meanwhile')
  return fixture.git('rev-parse', 'HEAD')
}

test('a branch that git is rebasing stays until that is over; one in a folder that is gone stays, too', async () => {
  const fixture = await done()
  const meanwhile = await commit(fixture, { 'other.txt': 'mine\n' })
  await fixture.git('switch', '-qc', 'side', 'HEAD~1')
  await commit(fixture, { 'other.txt': 'theirs\n' })
  await fixture.git('switch', '-q', 'main')
  await expect(fixture.git('rebase', '-q', 'side')).rejects.toThrow()
  const busy = errorOf(await fixture.drydock('land', '--onto', 'main', '--json'))
  expect(busy).toMatchObject({ exitCode: 2, code: 'apply_refused', todo: expect.stringContaining('git status') })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
  await fixture.git('rebase', '--abort')
  await fixture.git('switch', '-q', 'side')
  const folder = join(fixture.folder, 'tree')
  await fixture.git('worktree', 'add', '-q', folder, 'main')
  await rm(folder, { recursive: true })
  const gone = errorOf(await fixture.drydock('land', '--onto', 'main', '--json'))
  expect(gone).toMatchObject({ exitCode: 2, code: 'apply_refused', todo: expect.stringContaining('worktree prune') })
  await fixture.git('worktree', 'prune')
  expect(await fixture.drydock('land', '--onto', 'main', '--json')).toMatchObject({ exitCode: 0 })
})

test('with commit.signing the commits that are handed over are signed with the SSH key of the user', async () => {
  const folder = await createFixture()
  onTestFinished(() => folder.remove())
  const key = join(folder.folder, 'id_ed25519')
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'tester@localhost', '-f', key])
  const fixture = await done({}, { commit: { author: 'user', signing: key } })
  await commit(fixture, { 'other.txt': 'other\n' })
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const signers = join(folder.folder, 'signers')
  const [type = '', value = ''] = (await promisify(execFile)('ssh-keygen', ['-y', '-f', key])).stdout.split(' ')
  await writeFile(signers, `tester@localhost ${type} ${value.trim()}\n`)
  for (const commit of ['main', fixture.branch]) {
    await fixture.git('-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', commit)
    expect(await fixture.git('log', '-1', '--format=%cn <%ce>', commit)).toBe('Tester <tester@localhost>')
  }
})
