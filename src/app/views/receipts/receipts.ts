import type { z } from 'zod'
import type {
  ReceiptChecks,
  ReceiptDetail,
  ReceiptLine,
  ReceiptList,
  receiptListQuerySchema,
} from '../../../api/receipts.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { landsTogether } from '../../../domain/run/repositories.ts'
import type { CheckedCommit, ListedCommits, ReceiptReader } from '../../../ports/receipts.ts'
import type { Records } from '../../../ports/store.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { receiptLine } from './receipt-line.ts'

export interface ReceiptViews {
  list(query: z.output<typeof receiptListQuerySchema>): Promise<ReceiptList>
  /** Reads and verifies the receipts of commits again. Throws DrydockError `not_found`. */
  check(commits: readonly string[]): Promise<ReceiptChecks>
  one(commit: string): Promise<ReceiptDetail>
}

type Query = z.output<typeof receiptListQuerySchema>

/** The receipts of a repository, read from its notes alone. */
export function createReceiptViews(
  drydock: Pick<Installation, 'repository' | 'clock'> & RecordSource,
  reader: ReceiptReader,
): ReceiptViews {
  const { repository, clock } = drydock
  /** The lines of the last search, valid while notes, keys and commits are unchanged. */
  let searched: { readonly key: string; readonly lines: readonly ReceiptLine[] } | null = null

  async function listed(): Promise<ListedCommits> {
    return reader.list(repository, await reading(drydock, handedOver))
  }

  async function linesOf(commits: ListedCommits['commits'], remote: string | null): Promise<readonly ReceiptLine[]> {
    const checked = await reader.checkAll(repository, commits)
    return checked.map((each) => receiptLine(each, { remote, at: clock.now() }))
  }

  async function allLines(found: ListedCommits, keys: readonly string[]): Promise<readonly ReceiptLine[]> {
    const key = JSON.stringify([found.notes, found.commits.length, found.remote, keys])
    if (searched?.key === key) return searched.lines
    const lines = await linesOf(found.commits, found.remote)
    searched = { key, lines }
    return lines
  }

  async function named(commits: readonly string[]): Promise<readonly [readonly CheckedCommit[], string | null]> {
    const found = await reader.list(repository, commits)
    const wanted = new Set(commits)
    const known = found.commits.filter(({ commit }) => wanted.has(commit))
    if (known.length === 0) throw noCommit(commits)
    return [await reader.checkAll(repository, known), found.remote]
  }

  return {
    async list(query) {
      const [found, keys] = await Promise.all([listed(), reader.trusted()])
      const rest = { total: found.commits.length, keys: [...keys], elsewhere: found.elsewhere, fetch: fetchLine(found) }
      if (query.q === undefined && query.state === undefined) {
        const { page, next } = pageOf(found.commits, query.after)
        const receipts = [...(await linesOf(page, found.remote))]
        return { ...rest, receipts, matching: found.commits.length, next }
      }
      const matching = (await allLines(found, keys)).filter((line) => matches(line, query))
      const { page, next } = pageOf(matching, query.after)
      return { ...rest, receipts: [...page], matching: matching.length, next }
    },
    async check(commits) {
      const [checked, remote] = await named(commits)
      return { receipts: checked.map((each) => receiptLine(each, { remote, at: clock.now() })) }
    },
    async one(commit) {
      const [[checked], remote] = await named([commit])
      if (checked === undefined) throw noCommit([commit])
      const line = receiptLine(checked, { remote, at: clock.now() })
      return { ...line, envelope: checked.text, receipt: line.said === null ? null : checked.checked.receipt }
    },
  }
}

function pageOf<Line extends { readonly commit: string }>(lines: readonly Line[], after: string | undefined) {
  const from = after === undefined ? 0 : lines.findIndex(({ commit }) => commit === after) + 1
  const page = lines.slice(from, from + limits.dashboard.receipts)
  return { page, next: from + page.length < lines.length ? (page.at(-1)?.commit ?? null) : null }
}

function matches(line: ReceiptLine, { q, state }: Query): boolean {
  if (state !== undefined && line.state !== state) return false
  const { said } = line
  const of = said === null ? [] : [said.run, said.branch, said.story.id, said.story.title, said.run_id]
  const findings = said?.accepted.map(({ id }) => id) ?? []
  const text = [line.commit, line.subject, line.state, line.key ?? '', ...of, ...findings].join('\n').toLowerCase()
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return words.every((word) => text.includes(word))
}

/** Commits that Drydock has handed over in this repository. Each should have a note. */
async function handedOver(records: Records): Promise<readonly string[]> {
  const runs = await records.machines({ kind: 'run' })
  const alone = runs.filter((run) => !landsTogether(run) && publishedBranch(run) !== null)
  const crews = new Set(alone.filter((run) => run.data.policy.result === 'merged').map(({ id }) => id))
  const merges = await records.machines({ kind: 'merge', states: ['MERGED'] })
  const merged = merges.flatMap(({ run, data }) => (crews.has(run) ? (data.commit ?? []) : []))
  const tasks = new Set(alone.filter((run) => run.data.policy.result === 'handed_over').map(({ id }) => id))
  const stories = await records.machines({ kind: 'story', states: ['DONE'] })
  return [...merged, ...stories.flatMap(({ run, data }) => (tasks.has(run) ? (data.attempts.at(-1)?.sha ?? []) : []))]
}

function fetchLine({ remote }: ListedCommits): string | null {
  return remote === null ? null : `git fetch ${remote} refs/notes/drydock:refs/notes/drydock`
}

function noCommit(commits: readonly string[]): DrydockError {
  return new DrydockError('not_found', `This repository has no commit ${commits[0]?.slice(0, 64)}.`, {
    todo: 'Load the list again: it may have been removed.',
  })
}
