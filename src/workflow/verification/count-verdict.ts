import type { Run } from '../../domain/run/run.ts'
import { countFlaky } from '../../domain/story/bounds.ts'
import { countVerdict, type VerdictEvent } from '../../domain/story/failures.ts'
import type { Attempt, Story, StoryData } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { whyFailed } from '../../domain/verification/why-failed.ts'
import { verdictKey } from './known-verdict.ts'

interface VerdictInput {
  readonly run: Run
  readonly story: Story
  readonly sha: string
  readonly response: VerifierResponse
}

type Counts = Pick<StoryData, 'attempts' | 'failures' | 'flakyInRow'> & { readonly event: VerdictEvent }

/** The counts of a story after a new verdict, and the verdict's event. */
export function countVerdictOf({ run, story, sha, response }: VerdictInput): Counts {
  const { base, change, plans, failures: before, flakyInRow } = story.data
  const { status, manifest } = response
  const isSlice = change?.nextSlice != null
  const isFlaky = response.only_flaky === true
  const { event, failures } = countVerdict(status, before, { isFlaky, isWhole: !isSlice && sha !== base })
  const commands = manifest?.commands_executed ?? []
  const isUnsure = isFlaky || status === 'INFRA_ERROR' || commands.some(({ timed_out }) => timed_out)
  const attempt: Attempt = {
    runId: response.run_id,
    status,
    sha,
    why: whyFailed(response),
    tests: manifest?.tests ?? null,
    hypothesis: change?.hypothesis ?? plans.at(-1)?.hypothesis ?? null,
    steps: status === 'FAIL' ? Math.max(0, commands.length - 1) : commands.length,
    ...(manifest && { of: verdictKey({ tree: manifest.tree_sha, base, run, data: story.data }) }),
    ...(isSlice && { isSlice }),
    ...(isUnsure && { isUnsure }),
  }
  const row = countFlaky(flakyInRow, status, isFlaky)
  return { event, failures, flakyInRow: row, attempts: [...story.data.attempts, attempt] }
}

/** The earlier verdict on the same tree; the last attempt counts. */
export function countedAgain({ data: { attempts, failures, flakyInRow } }: Story, known: Attempt): Counts {
  const event = known.status === 'PASS' ? 'passed' : 'failed'
  return { event, failures, flakyInRow, attempts: attempts.at(-1) === known ? attempts : [...attempts, known] }
}
