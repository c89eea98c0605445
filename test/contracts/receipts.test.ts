import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNoteReads } from '../../src/adapters/git/user-repository/note-reads.ts'
import { createReceiptReader } from '../../src/adapters/receipts/receipt-reader.ts'
import { createReceipts } from '../../src/adapters/receipts/receipts.ts'
import { ownKeyIn } from '../../src/adapters/receipts/signing-key.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import type { ReceiptReader, Receipts } from '../../src/ports/receipts.ts'
import { unsigned } from '../adapters/receipt-world.ts'
import { createMemoryKey, createMemoryReceiptReader, createMemoryReceipts } from '../world/receipts.ts'

const secret = 'a-secret-of-the-user-1234567890'
const options = { version: '1.2.3', redact: createRedactor([secret]) }

/** An installation, and a repository with two commits. */
interface Place {
  readonly receipts: Receipts
  readonly reader: ReceiptReader
  readonly repository: string
  /** The older one first. */
  readonly commits: readonly [Commit, Commit]
  /** Adds this text as a note to a commit. */
  note(commit: string, text: string): void
  close(): void
}

interface Commit {
  readonly commit: string
  readonly tree: string
}

const env = {
  PATH: process.env.PATH,
  HOME: '/no/such/home',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}

function git(repository: string, args: readonly string[], more: object = {}): string {
  return execFileSync('git', args, { cwd: repository, env: { ...env, ...more }, encoding: 'utf8' }).trim()
}

let template: { readonly folder: string; readonly commits: readonly Commit[] }
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-receipts-'))
  git(folder, ['init', '--quiet', '--template='])
  const commits = ['first', 'second'].map((message, at) => {
    const date = `2026-11-03T10:00:0${at}Z`
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    git(folder, ['commit', '--quiet', '--allow-empty', '-m', `${message}\n\nAnd more.`], dates)
    const [commit = '', tree = ''] = git(folder, ['show', '--no-patch', '--format=%H %T']).split(' ')
    return { commit, tree }
  })
  template = { folder, commits }
})
afterAll(() => rmSync(template.folder, { recursive: true, force: true }))

function onDisk(): Place {
  const top = mkdtempSync(join(tmpdir(), 'drydock-receipts-'))
  const repository = join(top, 'repository')
  cpSync(template.folder, repository, { recursive: true })
  const state = join(top, 'state')
  const ownKey = ownKeyIn(state)
  return {
    receipts: createReceipts({ artifacts: join(top, 'artifacts'), installation: state, ...options }),
    reader: createReceiptReader({ ownKey, trustedKeys: [], configFile: 'config.json', ...createNoteReads(env) }),
    repository,
    commits: template.commits as never,
    note: (commit, text) => void git(repository, ['notes', '--ref=drydock', 'add', '--force', '-m', text, commit]),
    close: () => rmSync(top, { recursive: true, force: true }),
  }
}

function inMemory(): Place {
  const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  const names = ['first', 'second']
  const commits = names.map((message, at) => ({
    commit: createHash('sha1').update(message).digest('hex'),
    tree,
    message: `${message}\n\nAnd more.`,
    at: new Date(Date.UTC(2026, 10, 3, 10, 0, at)),
  }))
  const notes = new Map<string, string>()
  const key = createMemoryKey()
  const repository = {
    path: '/memory/repository',
    commits: new Map(commits.map((each) => [each.commit, each])),
    notes,
    resolve: (revision: string) =>
      revision === 'HEAD'
        ? (commits[1]?.commit ?? null)
        : (commits.find(({ commit }) => commit === revision)?.commit ?? null),
  }
  return {
    receipts: createMemoryReceipts({ key, ...options }),
    reader: createMemoryReceiptReader(repository, key),
    repository: repository.path,
    commits: commits.map(({ commit }) => ({ commit, tree })) as never,
    note: (commit, text) => void notes.set(commit, text),
    close() {},
  }
}

describe.each([
  { name: 'on the disk', open: onDisk },
  { name: 'in memory', open: inMemory },
])('receipts $name', ({ open }) => {
  let place: Place
  beforeEach(() => {
    place = open()
  })
  afterEach(() => place.close())

  /** Stores a commit's receipt, and adds its note. */
  async function keep({ commit, tree }: Commit, more: object = {}): Promise<string> {
    const { text } = await place.receipts.keep({ ...unsigned(), ...more, commit, tree })
    place.note(commit, text)
    return text
  }

  const check = (revision: string, only: Parameters<ReceiptReader['check']>[0]['only'] = null) =>
    place.reader.check({ directory: place.repository, revision, only })

  test('are stored permanently, byte for byte, until one is made again', async () => {
    const [{ commit, tree }] = place.commits
    const first = await place.receipts.keep({ ...unsigned(), commit, tree })
    expect(first.path).toBe(`receipts/${commit}.json`)
    const changed = { ...unsigned({ cost: { usd: 7, tokens: 7, calls: 7 } }), commit, tree }
    expect(await place.receipts.keep(changed)).toEqual(first)
    expect(await place.receipts.textOf(commit)).toBe(first.text)
    const anew = await place.receipts.keep(changed, { anew: true })
    expect([anew.path, anew.text === first.text]).toEqual([first.path, false])
    expect([await place.receipts.textOf(commit), await place.receipts.keep(changed)]).toEqual([anew.text, anew])
  })

  test('say which one is not there, and are of commits alone', async () => {
    await expect(place.receipts.textOf('f'.repeat(40))).rejects.toMatchObject({ code: 'receipt_failed' })
    await expect(place.receipts.keep({ ...unsigned(), commit: '../evil' })).rejects.toThrow('is no commit')
  })

  test('have no secret', async () => {
    const [, { commit, tree }] = place.commits
    const told = unsigned({ story: { id: 'one', title: `Use ${secret}` } })
    await keep(place.commits[1], told)
    const { checked } = await check('HEAD')
    expect(checked.receipt).toMatchObject({ commit, tree, story: { title: 'Use [redacted by drydock]' } })
  })

  test('are signed with a key that is made when it is first needed, and then stays', async () => {
    expect([await place.reader.existingKey(), await place.reader.trusted()]).toEqual([null, []])
    const key = await place.reader.publicKey()
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      pem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    })
    await keep(place.commits[1])
    expect([await place.reader.existingKey(), await place.reader.trusted()]).toEqual([key, [key.id]])
    expect((await check('HEAD')).checked).toMatchObject({ ok: true, key: key.id })
  })

  test('are checked against the note of a commit', async () => {
    const [first, second] = place.commits
    const text = await keep(second)
    const found = await check('HEAD')
    expect(found).toMatchObject({
      commit: second.commit,
      tree: second.tree,
      checked: { ok: true },
      remote: null,
      trusted: 1,
    })
    expect(found.digest).toBe(createHash('sha256').update(text).digest('hex'))
    expect(await check(first.commit)).toMatchObject({ checked: { fault: 'receipt_missing' }, digest: null })
    place.note(first.commit, text)
    expect(await check(first.commit)).toMatchObject({ checked: { fault: 'receipt_other_commit' } })
    place.note(first.commit, 'Looks fine to me.\n')
    expect(await check(first.commit)).toMatchObject({ checked: { fault: 'receipt_malformed' } })
  })

  test('are worth nothing where another key alone is trusted', async () => {
    await keep(place.commits[1])
    const { pem } = await place.reader.publicKey()
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string
    expect(await check('HEAD', { files: [], pem: other })).toMatchObject({ checked: { fault: 'receipt_unknown_key' } })
    expect(await check('HEAD', { files: [], pem: `${other}${pem}` })).toMatchObject({
      checked: { ok: true },
      trusted: 2,
    })
    await expect(check('HEAD', { files: [], pem: 'no key' })).rejects.toMatchObject({ code: 'bad_usage' })
  })

  test('are asked of a commit that is there, in a repository', async () => {
    await expect(check('no-such-branch')).rejects.toMatchObject({ code: 'unknown_revision' })
    const elsewhere = place.reader.check({ directory: tmpdir(), revision: 'HEAD', only: null })
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_a_repository' })
  })

  test('are listed with their commits, newest first, and checked together', async () => {
    const [first, second] = place.commits
    const nothing = { notes: null, commits: [], elsewhere: 0, remote: null }
    expect(await place.reader.list(place.repository, [])).toEqual(nothing)
    const text = await keep(first)
    const also = [second.commit, 'f'.repeat(40)]
    const { notes, commits } = await place.reader.list(place.repository, also)
    expect(notes).toMatch(/^[0-9a-f]{40}$/)
    const line = (at: number, more: object) => ({
      ...place.commits[at],
      at: `2026-11-03T10:00:0${at}+00:00`,
      subject: ['first', 'second'][at],
      ...more,
    })
    const [withoutNote, noted] = [line(1, { note: null }), line(0, { note: expect.stringMatching(/^[0-9a-f]{40}$/) })]
    expect(commits).toMatchObject([withoutNote, noted])
    const digest = createHash('sha256').update(text).digest('hex')
    expect(await place.reader.checkAll(place.repository, commits)).toMatchObject([
      { ...withoutNote, checked: { fault: 'receipt_missing' }, text: null, digest: null },
      { ...noted, checked: { ok: true }, text, digest },
    ])
  })
})
