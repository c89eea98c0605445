import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { migrations } from '../../src/adapters/store/migrations.ts'
import { openForWriting } from '../../src/adapters/store/sqlite-dialect.ts'
import { createSqliteStore, openSqliteRecords } from '../../src/adapters/store/sqlite-store.ts'
import type { ChatMessage } from '../../src/domain/chat.ts'
import type { Run } from '../../src/domain/run/run.ts'

const clock = createSystemClock()
const machine = { id: 'm', kind: 'run', run: 'm', story: null, state: 'WAITING', data: {} } as const

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-sqlite-'))
  file = join(folder, 'drydock.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Reads the file as any other program would. */
function ask(sql: string): unknown[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map((row) => Object.values(row)[0])
}

describe('the file', () => {
  test('is in WAL mode, and every commit is synced', async () => {
    const store = await createSqliteStore({ file, clock })
    await store.close()
    expect(ask('pragma journal_mode')).toEqual(['wal'])
    const database = await openForWriting(file)
    expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 })
    database.close()
  })

  test('of a newer Drydock is refused, for writing and for reading, and stays unchanged', async () => {
    await (await createSqliteStore({ file, clock })).close()
    const newer = new DatabaseSync(file)
    newer.exec(`insert into kysely_migration values ('999_of_the_future', '2099-01-01T00:00:00.000Z')`)
    newer.exec(`insert into schema_versions values ('999_of_the_future', '9.9.0')`)
    newer.close()
    const refusal = { code: 'state_newer', message: expect.stringMatching(/takes Drydock 9\.9\.0\.$/) }
    await expect(createSqliteStore({ file, clock })).rejects.toMatchObject(refusal)
    expect(() => openSqliteRecords(file)).toThrow(expect.objectContaining(refusal))
    const names = [
      '001_one_task',
      '002_crew',
      '003_budget',
      '004_versions',
      '005_forge_calls',
      '006_hub',
      '007_hub_people',
      '008_hosts',
      '009_last_writes',
      '010_askers',
      '011_acceptance',
      '012_written_tests',
      '999_of_the_future',
    ]
    expect(ask('select name from kysely_migration order by name')).toEqual(names)
  })

  test('is told which Drydock each migration came with; from 0.2.0 on each has a minor version of its own, up to this one', async () => {
    await (await createSqliteStore({ file, clock })).close()
    expect(ask('select migration from schema_versions order by migration')).toEqual(Object.keys(migrations))
    const versions = ask('select drydock from schema_versions order by migration').map(String)
    const own = versions
      .filter((version) => version !== '0.1.0')
      .map((version) => version.split('.').slice(0, 2).join('.'))
    expect(new Set(own).size).toBe(own.length)
    expect(manifest.version.startsWith(`${own.at(-1)}.`)).toBe(true)
  })

  test('that another process has only just made holds no records yet', async () => {
    writeFileSync(file, '')
    expect(await openSqliteRecords(file).machines({ kind: 'run' })).toEqual([])
  })

  test('is never made by who only reads', async () => {
    expect(await openSqliteRecords(file).lastEvent()).toBe(0)
    expect(existsSync(file)).toBe(false)
  })

  test('is let go by close, also when nothing was read from it', async () => {
    await (await createSqliteStore({ file, clock })).close()
    await openSqliteRecords(file).close()
    const open = spawnSync('find', [`/proc/${process.pid}/fd`, '-lname', `${folder}/*`], { encoding: 'utf8' })
    expect(open.stdout).toBe('')
  })
})

describe('the file of the version before the chat', () => {
  const message: Omit<ChatMessage, 'id' | 'timestamp'> = {
    agent_id: 'human',
    content: 'go on',
    reply_to: null,
    post_type: 'chat',
    run: 'run-1',
    story: null,
  }

  function makeOldState(): void {
    const old = new DatabaseSync(file)
    old.exec('pragma journal_mode = wal')
    old.exec(readFileSync(new URL('state-001.sql', import.meta.url), 'utf8'))
    old.close()
  }

  test('keeps what it holds and gets the chat when it is opened', async () => {
    makeOldState()
    const store = await createSqliteStore({ file, clock })
    const run = { id: 'run-1', kind: 'run', run: 'run-1', story: null, state: 'MONITORING', version: 1, data: {} }
    expect(await store.machine('run-1')).toMatchObject(run)
    // Data that was stored without a field has the field when it is read.
    expect((await store.machineOf('run', 'run-1'))?.data).toMatchObject({ error: null, rest: null, stopped: false })
    expect(await store.isIdle('run-1')).toBe(false)
    expect(await store.pendingCommands()).toEqual([{ key: 'k', command: { kind: 'cancel', run: 'run-1' } }])
    const posted = await store.transact((tx) => tx.postMessage(message))
    expect(await store.chat({ run: 'run-1' })).toEqual([posted])
    await store.close()
    expect(ask('select name from kysely_migration order by name')).toEqual([
      '001_one_task',
      '002_crew',
      '003_budget',
      '004_versions',
      '005_forge_calls',
      '006_hub',
      '007_hub_people',
      '008_hosts',
      '009_last_writes',
      '010_askers',
      '011_acceptance',
      '012_written_tests',
    ])
  })

  test('gives each queued step its host when it is opened', async () => {
    makeOldState()
    const old = new DatabaseSync(file)
    const insert =
      old.prepare(`insert into machines (id, kind, run, story, state, version, data, created_at, updated_at)
      values (?, ?, 'r', ?, 'X', 1, ?, '', '')`)
    insert.run('slot/far', 'slot', null, '{"name":"far","host":"there"}')
    insert.run('r/held', 'story', 'held', '{"slot":"far"}')
    insert.run('r/free', 'story', 'free', '{"slot":null}')
    for (const [id, kind, story, data] of [
      ['pinned', 'lane', 'held', '{}'] as const,
      ['anywhere', 'lane', 'free', '{}'] as const,
      ['merge', 'merge', 'held', '{}'] as const,
      ['of merge', 'verification', 'held', '{"merge":"m"}'] as const,
      ['of change', 'verification', 'held', '{"merge":null}'] as const,
    ]) {
      insert.run(id, kind, story, data)
      old.prepare(`insert into jobs (queue, machine, version, run_at) values (?, ?, 1, '')`).run(kind, id)
    }
    old.close()
    const store = await createSqliteStore({ file, clock })
    const takenBy = async (host: string, keepsState: boolean) =>
      (await store.jobs({ host, keepsState })).filter(({ run }) => run === 'r').map(({ machine }) => machine)
    expect(await takenBy('here', true)).toEqual(['anywhere', 'merge', 'of merge'])
    expect(await takenBy('there', false)).toEqual(['pinned', 'anywhere', 'of change'])
    await store.close()
  })

  test('learns who asked each question when it is opened', async () => {
    await (await createSqliteStore({ file, clock })).close()
    const old = new DatabaseSync(file)
    old.exec(`delete from kysely_migration where name >= '010'; drop table acceptance_tests;
      alter table chat_messages drop column asker; alter table chat_messages drop column asker_kind`)
    for (const [id, kind, escalation] of [
      ['r', 'run', null] as const,
      ['r/one', 'story', '2'] as const,
      ['r/two', 'story', null] as const,
      ['r/request', 'request', '3'] as const,
    ])
      old
        .prepare(`insert into machines (id, kind, run, story, state, version, data, created_at, updated_at)
          values (?, ?, 'r', null, 'X', 1, ?, '', '')`)
        .run(id, kind, JSON.stringify({ escalation }))
    for (const [story, type] of [
      [null, 'escalate'] as const,
      ['one', 'escalate'] as const,
      ['one', 'escalate'] as const,
      ['two', 'escalate'] as const,
      [null, 'chat'] as const,
    ])
      old
        .prepare(
          `insert into chat_messages (agent_id, content, timestamp, post_type, run, story) values ('architect', '?', '', ?, 'r', ?)`,
        )
        .run(type, story)
    old.close()
    const store = await createSqliteStore({ file, clock })
    expect((await store.chat({ run: 'r' })).map(({ asker }) => asker)).toEqual([
      { kind: 'run', machine: 'r' },
      { kind: 'story', machine: 'r/one' },
      { kind: 'request', machine: 'r/request' },
      // The lane no longer waits for anybody.
      undefined,
      undefined,
    ])
    await store.close()
  })

  test('gives editors the names of their roles when it is opened', async () => {
    makeOldState()
    const old = new DatabaseSync(file)
    const earlier = ['planner', 'coder', 'crew_planner', 'crew_coder', 'architect_review']
    for (const [turn, role] of earlier.entries()) {
      old
        .prepare(
          `insert into model_calls (lane, turn, run, story, agent, model, stop, input_tokens, output_tokens, started_at, duration_ms)
            values (?, ?, 'r', 'one', ?, 'm:x', 'stop', 1, 1, '', 1)`,
        )
        .run(role, turn, role)
      old
        .prepare(`insert into machines (id, kind, run, story, state, version, data, created_at, updated_at)
          values (?, 'lane', 'r', null, 'ENDED', 1, ?, '', '')`)
        .run(`r/${role}`, JSON.stringify({ role }))
    }
    old.close()
    const store = await createSqliteStore({ file, clock })
    const lanes = await Promise.all(earlier.map((role) => store.machineOf('lane', `r/${role}`)))
    expect(lanes.map((lane) => [lane?.data.role, lane?.data.reviewed ?? false])).toEqual([
      ['editor_planning', false] as const,
      ['editor_coding', false] as const,
      ['editor_planning', true] as const,
      ['editor_coding', true] as const,
      ['architect_review', false],
    ])
    await store.close()
    const roles = ['editor_planning', 'editor_coding']
    expect(ask('select agent from model_calls order by turn')).toEqual([...roles, ...roles, 'architect_review'])
  })

  test('is then made of the same tables and indexes as a new one', async () => {
    const schema = () => ask(`select sql from sqlite_master where sql is not null order by type, name`)
    await (await createSqliteStore({ file, clock })).close()
    const fresh = schema()
    rmSync(file)
    makeOldState()
    expect(schema()).not.toEqual(fresh)
    await (await createSqliteStore({ file, clock })).close()
    expect(schema()).toEqual(fresh)
  })

  test('has an empty chat for who only reads, until someone writes, and its calls at an unknown cost', async () => {
    makeOldState()
    const old = new DatabaseSync(file)
    old.exec(`insert into model_calls (lane, turn, run, story, agent, model, stop, input_tokens, output_tokens, started_at, duration_ms)
      values ('l', 0, 'run-1', 'task', 'editor', 'm:x', 'stop', 900, 100, '', 1), ('l', 1, 'run-1', null, 'scout', 'm:x', 'error', null, null, '', 1)`)
    old.close()
    const reader = openSqliteRecords(file)
    const known = { calls: 2, tokens: 1_000, toolCalls: 0, costMicroUsd: 0, unpriced: 1 }
    expect(await reader.totals('run-1')).toEqual(known)
    expect(await reader.totals('run-1', 'task')).toEqual({ ...known, calls: 1 })
    expect(await reader.machine('run-1')).toMatchObject({ state: 'MONITORING' })
    expect(await reader.chat({ run: 'run-1' })).toEqual([])
    expect(await reader.chatMessage('1')).toBeNull()
    expect(ask('select name from kysely_migration')).toEqual(['001_one_task'])
    const store = await createSqliteStore({ file, clock })
    const posted = await store.transact((tx) => tx.postMessage(message))
    expect(await reader.chat({ run: 'run-1' })).toEqual([posted])
    expect(await reader.chatMessage(posted.id)).toEqual(posted)
    expect(await reader.totals('run-1')).toEqual(known)
    await reader.close()
    await store.close()
  })
})

describe('the table of the chat', () => {
  test('has indexes for answers, types, and the messages of a Run', async () => {
    await (await createSqliteStore({ file, clock })).close()
    const columns = (index: string) => ask(`select name from pragma_index_info('${index}') order by seqno`)
    const indexes = ask(`select name from pragma_index_list('chat_messages') order by name`) as string[]
    expect(indexes.map(columns)).toEqual([['post_type'], ['reply_to'], ['run', 'id']])
  })

  test('refuses an answer to a message of another Run by itself', async () => {
    await (await createSqliteStore({ file, clock })).close()
    const database = new DatabaseSync(file)
    const insert = database.prepare(
      `insert into chat_messages (agent_id, content, timestamp, run, reply_to) values ('human', '', '', ?, ?)`,
    )
    insert.run('run-1', null)
    insert.run('run-1', 1)
    expect(() => insert.run('run-2', 1)).toThrow('FOREIGN KEY')
    database.close()
    expect(ask('select post_type from chat_messages')).toEqual(['chat', 'chat'])
  })

  test('never gets a secret, and who posts one is told what was stored', async () => {
    const store = await createSqliteStore({ file, clock, redact: (text) => text.replaceAll('s3cret', '[redacted]') })
    const content = 'the key is s3cret'
    const posted = await store.transact((tx) =>
      tx.postMessage({ agent_id: 'human', content, reply_to: null, post_type: 'chat', run: 'm', story: null }),
    )
    expect(posted.content).toBe('the key is [redacted]')
    expect(await store.chat({ run: 'm' })).toEqual([posted])
    await store.close()
    expect(readFileSync(file).includes('s3cret')).toBe(false)
    expect(ask('select content from chat_messages')).toEqual(['the key is [redacted]'])
  })
})

describe('a disk that is full', () => {
  /** Mounts a file system of one mebibyte at the folder; null if that is not possible. */
  function mountSmallDisk(options = 'size=1m'): (() => void) | null {
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
    return status === 0 ? () => void spawnSync('umount', ['--lazy', folder]) : null
  }

  function fill(): void {
    const filler = join(folder, 'filler')
    for (const size of [65_536, 4_096]) {
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(size))
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    }
  }

  test('is an error with advice; the state is intact and continues once there is space', async ({ skip }) => {
    const unmount = mountSmallDisk()
    if (unmount === null) return skip('needs the right to mount a tmpfs')
    try {
      const store = await createSqliteStore({ file, clock })
      const first = await store.transact((tx) => tx.insertMachine(machine))
      fill()
      for (const size of [500_000, 100]) {
        const write = store.transact(async (tx) => {
          await tx.move(first as Run, 'started', { next: 'rest' })
          for (let n = 0; n < 500; n += 1) {
            await tx.appendEvent({
              run: 'm',
              story: null,
              type: 'error',
              data: { code: 'bug', message: 'x'.repeat(size), todo: '' },
            })
          }
        })
        await expect(write).rejects.toMatchObject({
          code: 'disk_full',
          message: expect.stringContaining(file),
          todo: expect.stringContaining('drydock resume'),
        })
      }
      expect(await store.machine('m')).toMatchObject(first)
      expect(await store.events({ after: 0, limit: 10 })).toEqual([])
      rmSync(join(folder, 'filler'))
      await store.transact((tx) => tx.move(first as Run, 'started', { next: 'rest' }))
      expect(await store.machine('m')).toMatchObject({ state: 'MONITORING', version: 2 })
      await store.close()
      expect(ask('pragma integrity_check')).toEqual(['ok'])
    } finally {
      unmount()
    }
  })

  test('is the same error where no file can be made, also beside a state that is there', async ({ skip }) => {
    const unmount = mountSmallDisk('size=10m,nr_inodes=20')
    if (unmount === null) return skip('needs the right to mount a tmpfs')
    const take = () => {
      for (let n = 0; n < 20; n += 1) spawnSync('touch', [join(folder, `filler-${n}`)])
    }
    const leave = () => spawnSync('sh', ['-c', `rm "${folder}"/filler-*`])
    try {
      take()
      await expect(createSqliteStore({ file, clock })).rejects.toMatchObject({ code: 'disk_full' })
      leave()
      await (await createSqliteStore({ file, clock })).close()
      take()
      await expect(createSqliteStore({ file, clock })).rejects.toMatchObject({ code: 'disk_full' })
      leave()
      await (await createSqliteStore({ file, clock })).close()
    } finally {
      unmount()
    }
  })

  test('is the same error when the state would be made on it', async ({ skip }) => {
    const unmount = mountSmallDisk()
    if (unmount === null) return skip('needs the right to mount a tmpfs')
    try {
      fill()
      await expect(createSqliteStore({ file, clock })).rejects.toMatchObject({ code: 'disk_full' })
      rmSync(join(folder, 'filler'))
      await (await createSqliteStore({ file, clock })).close()
    } finally {
      unmount()
    }
  })
})
