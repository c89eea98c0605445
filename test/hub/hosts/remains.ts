import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../../src/domain/limits.ts'
import { refsToForget, standingOf, storyOfRef } from '../../../src/domain/run/kept-work.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import { psql } from '../../postgres/server.ts'
import type { HostsWorld } from './hosts-world.ts'
import { database } from './zombie-watch.ts'

export const branch = 'drydock/weather-a-storm'

export async function withRecords<T>(world: HostsWorld, read: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await world.fixture.open()).openRecords()
  return read(records).finally(() => records.close())
}

interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly story: string
  readonly verifiedBy: string
}

/** The run's commits on its branch, newest first. */
export async function commitsOf({ fixture }: HostsWorld): Promise<readonly Commit[]> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=)`
  const format = ['%H', '%P', trailer('Drydock-Story'), trailer('Verified-By')].join('%x00')
  const lines = (await fixture.git('log', `--format=${format}`, `main..${branch}`)).split('\n').filter(Boolean)
  return lines.map((line) => {
    const [sha = '', parents = '', story = '', verifiedBy = ''] = line.split('\0')
    return { sha, parents: parents.split(' '), story: story.split('/').at(-1) ?? '', verifiedBy }
  })
}

/**
 * Turns of lanes that have more than one answer, and answers that a conversation lacks or has too
 * often.
 */
export async function turnsNotOnce(world: HostsWorld): Promise<readonly string[]> {
  return withRecords(world, async (records) => {
    const calls = await records.modelCalls(world.run)
    const named = calls.map(({ lane, turn }) => `${lane} ${turn}`)
    const twice = named.filter((name, i) => named.indexOf(name) !== i)
    const lanes = await records.machines({ kind: 'lane', run: world.run })
    const wrong: string[] = []
    for (const { id } of lanes) {
      const answers = (await records.messages(id)).filter(({ role }) => role === 'assistant').length
      const paid = calls.filter(({ lane, error }) => lane === id && error === null).length
      if (answers !== paid) wrong.push(`${id}: ${answers} answers, ${paid} calls`)
    }
    return [...twice, ...wrong]
  })
}

/** Money in millionths of a dollar. */
export interface Books {
  /** The total in the run's own records. */
  readonly spent: number
  /** Reservations of calls that no longer run. */
  readonly reserved: number
  /** Cost and number of the stored calls. */
  readonly called: number
  readonly calls: number
  /** Charged amount and number of calls whose end nobody saw. */
  readonly lost: number
  readonly losses: number
  /** Number of requests at the provider. */
  readonly asked: number
}

export async function booksOf(world: HostsWorld): Promise<Books> {
  const { run, server, crew } = world
  const schema = psql(server, "select nspname from pg_namespace where nspname like 'drydock\\_%'", database)
  const sum = (what: string) => Number(psql(server, `select ${what} and run = '${run}'`, database))
  return withRecords(world, async (records) => {
    const [spent, calls] = [await records.spent(run), await records.modelCalls(run)]
    return {
      spent: spent.microUsd,
      reserved: spent.reserved.microUsd,
      called: calls.reduce((total, { costMicroUsd }) => total + (costMicroUsd ?? 0), 0),
      calls: calls.filter(({ costMicroUsd }) => costMicroUsd !== null).length,
      lost: sum(`coalesce(sum(micro_usd), 0) from ${schema}.reservations where open = 0`),
      losses: sum(`count(*) from ${schema}.reservations where open = 0`),
      asked: crew.requests.length,
    }
  })
}

/**
 * Hidden refs of the hub that retention would never remove, since they belong to no known story.
 */
export async function refsForGood(world: HostsWorld): Promise<readonly string[]> {
  const format = '--format=%(refname) %(objectname) %(committerdate:iso-strict)'
  const refs = (await gitInMirror(world, 'for-each-ref', format, 'refs/drydock/')).split('\n').map((line) => {
    const [ref = '', sha = '', at = ''] = line.split(' ')
    return { ref, sha, at: new Date(at).toISOString() }
  })
  const later = new Date(Date.now() + (limits.artifactDays + 1) * 86_400_000)
  return withRecords(world, async (records) => {
    const run = await records.machineOf('run', world.run)
    const stories = await records.machines({ kind: 'story', run: world.run })
    if (run === null) return refs.map(({ ref }) => ref)
    const gone = stories.flatMap((story) => {
      const own = refs.filter(({ ref }) => storyOfRef(ref) === story.id)
      return refsToForget(own, { story: story.id, standing: standingOf(run, story), now: later })
    })
    return refs.map(({ ref }) => ref).filter((ref) => !gone.includes(ref))
  })
}

/** Unreadable logs that rows name, of merged commits and of verifications in the bucket. */
export async function unreadableLogs(world: HostsWorld): Promise<readonly string[]> {
  const { fixture, run } = world
  const { storedFiles } = await fixture.open()
  const all = await withRecords(world, (records) => records.machines({ kind: 'verification', run }))
  const wrong: string[] = []
  const kept = all.filter(({ data }) => data.stored !== undefined && data.stored !== null)
  if (kept.length === 0) wrong.push('no log is kept in the bucket')
  for (const { id } of kept) {
    const log = await storedFiles?.readLog(id, 'combined.log', 1_000)
    if (log?.ok !== true) wrong.push(`${id} ${log?.reason}`)
  }
  for (const { verifiedBy } of await commitsOf(world)) {
    const told = (await fixture.drydock('log', verifiedBy, '--json')).events.at(-1)
    if (told?.from !== 'log') wrong.push(`${verifiedBy} is told from ${told?.from}`)
  }
  return wrong
}

/** Git's findings on the hub's repository, and leftover files that would block the next process. */
export async function damage(world: HostsWorld): Promise<readonly string[]> {
  const { state } = await world.fixture.open()
  await world.fixture.drydock('gc')
  const fsck = await gitInMirror(world, 'fsck', '--full', '--no-dangling', '--no-progress')
  const locks = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /(^|\/)[^/]+\.lock$/.test(path) && path !== 'owner.lock' && !path.startsWith('locks/'),
  )
  return [...fsck.split('\n').filter(Boolean), ...locks]
}

async function gitInMirror({ fixture }: HostsWorld, ...args: readonly string[]): Promise<string> {
  const mirror = join((await fixture.open()).state, 'mirror.git')
  return execFileSync('git', ['--git-dir', mirror, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}
