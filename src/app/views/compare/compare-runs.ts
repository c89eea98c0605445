import { isDeepStrictEqual } from 'node:util'
import type { ComparedRun, ComparedStory, Comparison } from '../../../api/comparison.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { limits } from '../../../domain/limits.ts'
import { landsTogether, repositoryResults } from '../../../domain/run/repositories.ts'
import type { RunRequest } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { LineCount } from '../../../ports/history.ts'
import { usage } from '../../usage.ts'
import { verdictReader } from '../finish/verdict-now.ts'
import { type RunFacts, readRunFacts } from '../run-facts.ts'
import { readRunLine } from '../runs.ts'
import { storyLines } from '../story-lines.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { toldDifferently } from './told-settings.ts'

/** Two Runs side by side. Throws DrydockError `not_found`, `bad_usage` for a Run and itself. */
export async function compareRuns(
  sources: ViewSources,
  { a, b }: { readonly a: string; readonly b: string },
): Promise<Comparison> {
  if (a === b) throw usage('A run cannot be compared with itself.', 'Name two runs.')
  const [left, right] = [await readSide(sources, a), await readSide(sources, b)]
  const [one, other] = [left.facts.run, right.facts.run]
  const paths = [...new Set([...(left.files?.keys() ?? []), ...(right.files?.keys() ?? [])])].toSorted()
  return {
    a: left.side,
    b: right.side,
    same_request: saysTheSame(one.data.request, other.data.request),
    same_base: one.data.base === null || other.data.base === null ? null : one.data.base === other.data.base,
    settings: toldDifferently(one, other),
    stories: paired(left.stories, right.stories),
    files: {
      count: paths.length,
      list: paths.slice(0, limits.dashboard.finishFiles).map((path) => ({
        path,
        a: linesOf(left.files, path),
        b: linesOf(right.files, path),
      })),
    },
  }
}

interface TitledStory {
  readonly title: string
  readonly story: ComparedStory
}

interface Side {
  readonly facts: RunFacts
  readonly side: ComparedRun
  readonly stories: readonly TitledStory[]
  readonly files: Files | null
}

type Files = ReadonlyMap<string, LineCount | null>

async function readSide(sources: ViewSources, id: string): Promise<Side> {
  const { records } = sources
  const run = await findRun(sources, id)
  const facts = await readRunFacts(records, run)
  const owned = sources.isOwned()
  const gone = (await sources.goneBranches([run])).get(run.id)
  const verdicts = verdictReader(records, null)
  const verdict = await verdicts.verdict(run, { isWorkedOn: owned, gone })
  const { line } = await readRunLine(records, run, { owned, gone, verdicts })
  const verified = await records.verifications(run.id)
  const files = await changedIn(sources, facts).catch(missing)
  const stories = storiesOf(facts, { owned, now: sources.now(), outcome: verdict })
  const ended = (status: string) => verified.filter((each) => each.status === status).length
  const end = line.ended_at === null ? sources.now().getTime() : Date.parse(line.ended_at)
  const lists = stories.map(({ story }) => story.findings)
  return {
    facts,
    stories,
    files,
    side: {
      run: line,
      duration_ms: Math.max(0, end - Date.parse(line.started_at)),
      verifications: { PASS: ended('PASS'), FAIL: ended('FAIL'), INFRA_ERROR: ended('INFRA_ERROR') },
      reviews: stories.reduce((sum, { story }) => sum + story.reviews, 0),
      findings: {
        open: sumOf(lists.map(({ open }) => open)),
        accepted: sumOf(lists.map(({ accepted }) => accepted)),
        closed: sumOf(lists.map(({ closed }) => closed)),
      },
      stat: files && {
        files: files.size,
        added: sumOf([...files.values()].map((each) => each?.added ?? 0)),
        removed: sumOf([...files.values()].map((each) => each?.removed ?? 0)),
      },
    },
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

/** Ignores commits that git no longer has; the rest is still worth comparing. */
function missing(error: unknown): null {
  if (error instanceof DrydockError) return null
  throw error
}

/**
 * The changed files. For a Run over several repositories, each path begins with its repository's
 * name.
 */
async function changedIn({ history }: ViewSources, { run, stories }: RunFacts): Promise<Files | null> {
  if (landsTogether(run)) {
    const all = new Map<string, LineCount | null>()
    for (const { name, base, sha } of repositoryResults(run)) {
      if (base === null || sha === null || base === sha) continue
      for (const [path, counts] of await history.lineCounts(base, sha)) all.set(`${name}/${path}`, counts)
    }
    return all.size === 0 ? null : all
  }
  const { base } = run.data
  const sha =
    run.data.policy.result === 'merged' ? run.data.tip : (run.data.tip ?? stories[0]?.data.snapshot?.sha ?? null)
  return base === null || sha === null || base === sha ? null : history.lineCounts(base, sha)
}

function storiesOf(facts: RunFacts, now: Parameters<typeof storyLines>[1]): readonly TitledStory[] {
  const known = new Map(facts.stories.map((story) => [story.story, story]))
  return storyLines(facts, now).map((line) => {
    const story = known.get(line.id)
    const findings = story === undefined ? [] : findingsOf(story)
    const count = (state: string) => findings.filter((each) => each.state === state).length
    const { spending, id, state, reviews } = line
    return {
      title: line.title,
      story: {
        id,
        state,
        reviews,
        tokens: spending.tokens,
        cost_usd: spending.cost_usd,
        unpriced: spending.unpriced,
        verdicts: (story?.data.attempts ?? []).map(({ status }) => status),
        findings: { open: count('open'), accepted: count('accepted'), closed: count('closed') },
        claims: findings
          .slice(0, limits.dashboard.receipts)
          .map(({ id: finding, severity, file, claim, state: fate }) => ({
            id: finding,
            severity,
            file,
            claim,
            state: fate,
          })),
        duration_ms: lastedMs(facts, line.id, story),
      },
    }
  })
}

function findingsOf({ data: { reviews } }: Story): readonly TrackedFinding[] {
  return Object.values(reviews).flatMap((review) => review.findings)
}

function lastedMs({ movesOf, until }: RunFacts, id: string, story: Story | undefined): number | null {
  const moves = movesOf.get(id) ?? []
  const [first, last] = [moves.at(-1), moves[0]]
  if (story === undefined || first === undefined || last === undefined) return null
  const end = endStates.includes(story.state) ? last.at : until
  return Math.max(0, Date.parse(end) - Date.parse(first.at))
}

/** Pairs stories in the order of the first Run, followed by those that only the second Run has. */
function paired(left: readonly TitledStory[], right: readonly TitledStory[]): Comparison['stories'] {
  const unpaired = new Set(right)
  const take = (isIt: (each: TitledStory) => boolean) => {
    const found = [...unpaired].find(isIt)
    if (found !== undefined) unpaired.delete(found)
    return found ?? null
  }
  const byId = new Map(left.map((each) => [each, take(({ story }) => story.id === each.story.id)]))
  const pairs = left.map((each) => {
    const other = byId.get(each) ?? take(({ title }) => title.toLowerCase() === each.title.toLowerCase())
    return { title: each.title, a: each.story, b: other?.story ?? null }
  })
  return [...pairs, ...[...unpaired].map(({ title, story }) => ({ title, a: null, b: story }))]
}

function linesOf(files: Files | null, path: string): { added: number; removed: number } | null {
  const found = files?.get(path)
  if (found !== undefined) return { added: found?.added ?? 0, removed: found?.removed ?? 0 }
  return null
}

/** True if two requests are equal in all of their words, not in their titles alone. */
function saysTheSame(one: RunRequest, other: RunRequest): boolean {
  return isDeepStrictEqual(wordsOf(one), wordsOf(other))
}

function wordsOf(request: RunRequest): object {
  const { kind } = request
  switch (kind) {
    case 'task':
      return { kind, task: request.task }
    case 'verify':
      return { kind, commit: request.commit }
    case 'scout':
      return { kind, scout: request.scout, question: request.question }
    case 'spec':
      return { kind, text: request.spec.text, planOnly: request.planOnly }
    case 'interview':
      return { kind, text: request.spec.text }
    default:
      throw new Error(`unknown request ${kind satisfies never}`)
  }
}
