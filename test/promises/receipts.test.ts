import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { type CommandResult, type Fixture, runHere } from '../scenarios/world/fixture.ts'
import { landedOn } from '../scenarios/world/merge-facts.ts'

const notes = 'refs/notes/drydock'
const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

/** A crew's finished run with two landed stories; tests change only clones of it. */
let landed: Fixture & { readonly commits: readonly string[]; readonly first: string; readonly second: string }

beforeAll(async () => {
  const fixture = await createCrewFixture()
  landed = { ...fixture, commits: [], first: '', second: '' }
  const built = await build(fixture, lanes)
  expect(built.exitCode, built.stderr).toBe(0)
  const commits = (await landedOn(fixture)).map(({ sha }) => sha)
  landed = { ...fixture, commits, first: commits[0] ?? '', second: commits[1] ?? '' }
})
afterAll(() => landed.remove())

/** The envelope in a commit's note. */
const noteOf = (fixture: Pick<Fixture, 'git'>, commit: string) => fixture.git('notes', `--ref=${notes}`, 'show', commit)

const statementOf = (note: string) => JSON.parse(Buffer.from(JSON.parse(note).payload, 'base64').toString())

interface Cloning {
  readonly fetched: boolean
  /**
   * Environment of the reader; omitted for a reader on another machine, without state,
   * configuration and key.
   */
  readonly env?: Fixture['env']
}

async function cloneOf(fixture: Fixture, { fetched, env: given }: Cloning) {
  const home = await mkdtemp(join(fixture.folder, 'elsewhere-'))
  const folder = join(home, 'clone')
  const env = given ?? { PATH: fixture.env.PATH ?? '', HOME: home, DRYDOCK_HOME: join(home, 'state') }
  await fixture.git('clone', '-q', '--no-local', fixture.repo, folder)
  const git = async (...args: string[]) => {
    const options = { env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } }
    return (await promisify(execFile)('git', ['-C', folder, ...args], options)).stdout.trim()
  }
  if (fetched) await git('fetch', '-q', 'origin', `${notes}:${notes}`)
  const drydock = (...args: string[]) => runHere([...args, '--repo', folder], env)
  return { home, env, git, drydock }
}

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })

test('every merged commit is proven in its repository and in a fresh clone, by the public key alone', async () => {
  const fixture = landed
  const { id, pem } = (await fixture.drydock('receipt', 'key', '--json')).events[0] as never as Record<string, string>
  const clone = await cloneOf(fixture, { fetched: true })
  const keyFile = join(fixture.folder, 'their-key.pem')
  await writeFile(keyFile, pem ?? '')
  expect(fixture.commits).toHaveLength(2)
  for (const commit of fixture.commits) {
    const here = await fixture.drydock('receipt', 'verify', commit)
    expect(here, here.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${commit} is proven`) })
    expect(errorOf(await clone.drydock('receipt', 'verify', commit, '--json'))).toMatchObject({
      exitCode: 3,
      code: 'receipt_unknown_key',
      message: expect.stringContaining(id ?? ''),
    })
    const there = await clone.drydock('receipt', 'verify', commit.slice(0, 12), '--key', keyFile, '--json')
    expect(errorOf(there)).toMatchObject({ exitCode: 0, commit, verified: true, key: id })
  }
  expect(await readdir(clone.home)).toEqual(['clone'])
  const config = join(clone.home, '.config', 'drydock')
  await mkdir(config, { recursive: true })
  await writeFile(join(config, 'config.json'), JSON.stringify({ receipts: { trusted_keys: [keyFile] } }))
  expect((await clone.drydock('receipt', 'verify', fixture.first)).exitCode).toBe(0)
  await writeFile(keyFile, 'no key')
  expect(errorOf(await clone.drydock('receipt', 'verify', fixture.first, '--json'))).toMatchObject({
    exitCode: 2,
    code: 'bad_config',
    message: expect.stringContaining(keyFile),
  })
})

test('each way to tamper with a receipt or its commit fails with its own reason and exit code 3', async () => {
  const fixture = landed
  const { first, second } = fixture
  const clone = await cloneOf(fixture, { fetched: true, env: fixture.env })
  const { git, drydock } = clone
  await git('config', 'user.name', 'Tester')
  await git('config', 'user.email', 'tester@localhost')
  const envelope = await noteOf(fixture, first)
  const verify = async (commit: string) => errorOf(await drydock('receipt', 'verify', commit, '--json'))
  const note = async (commit: string, text: string) => {
    const file = join(clone.home, 'note')
    await writeFile(file, text)
    const blob = await git('hash-object', '-w', '--', file)
    await git('notes', `--ref=${notes}`, 'add', '-f', '-C', blob, commit)
  }
  const fault = (code: string, message: RegExp, todo = /./) => ({
    exitCode: 3,
    code,
    message: expect.stringMatching(message),
    todo: expect.stringMatching(todo),
  })

  const changed = JSON.parse(envelope)
  const statement = statementOf(envelope)
  statement.predicate.reviewer.model = 'anthropic:claude'
  changed.payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  await note(first, `${JSON.stringify(changed)}\n`)
  expect(await verify(first)).toMatchObject(fault('receipt_changed', new RegExp(changed.signatures[0].keyid)))
  const shown = await drydock('receipt', 'show', first)
  expect(shown).toMatchObject({ exitCode: 3, stdout: expect.stringMatching(/^NOT PROVEN: .*changed after it was/) })

  await note(first, 'Looks good to me.\n')
  expect(await verify(first)).toMatchObject(fault('receipt_malformed', /is not a receipt/))
  await note(first, 'x'.repeat(5 * 1024 ** 2))
  expect(await verify(first)).toMatchObject(fault('receipt_malformed', /is not a receipt/))
  await note(first, `${envelope}\n`)
  expect(await verify(first)).toMatchObject({ exitCode: 0, verified: true })

  await note(second, `${envelope}\n`)
  expect(await verify(second)).toMatchObject(
    fault('receipt_other_commit', new RegExp(`commit ${first}, not ${second}`)),
  )
  await git('checkout', '-q', '-b', 'mine', first)
  await git('commit', '-q', '--amend', '-m', 'All mine')
  await note('HEAD', `${envelope}\n`)
  expect(await verify('HEAD')).toMatchObject(fault('receipt_other_commit', /amended/, /git show/))

  await git('replace', first, 'main')
  // A git replacement is ignored: the commit itself was verified.
  expect(await verify(first)).toMatchObject({ exitCode: 0, verified: true })
  await git('replace', '-d', first)

  await git('notes', `--ref=${notes}`, 'remove', first)
  expect(await verify(first)).toMatchObject(fault('receipt_missing', /no receipt for/))
  expect(await verify('main')).toMatchObject(fault('receipt_missing', /no receipt for/))
  expect(await verify('nowhere')).toMatchObject({ exitCode: 2, code: 'unknown_revision' })
  expect(errorOf(await drydock('receipt', 'verify', '--json'))).toEqual(await verify('HEAD'))
  expect(errorOf(await drydock('receipt', 'sign', first, '--json'))).toMatchObject({ exitCode: 2, code: 'bad_usage' })
})
