import { DrydockError } from '../../domain/drydock-error.ts'
import { freeBranch } from '../../domain/run/free-branch.ts'
import { isEnded, type Run, type RunRequest } from '../../domain/run/run.ts'
import { titleOfSpec } from '../../domain/run/spec.ts'
import { subjectOf } from '../../domain/run/subject.ts'
import { slug } from '../../domain/text.ts'
import type { Transaction } from '../../ports/store.ts'
import type { UserRefs } from '../../ports/user-repository.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/**
 * The branches that the Run's branch must not collide with. A branch with the name of the folder of
 * all run branches blocks them.
 */
export function branchesBeside(run: Run, { branches }: Pick<UserRefs, 'branches'>): readonly string[] {
  if (titleOf(run.data.request) === null) return []
  if (!branches.includes('drydock')) return branches
  throw new DrydockError('branch_in_the_way', 'The branch "drydock" blocks the names drydock/<name>.', {
    todo: 'Rename it: git branch -m drydock <another name>   then run: drydock resume',
  })
}

/**
 * Reserves a new name for the run branch, which no other Run was promised. Null for a Run without a
 * branch.
 */
export async function reserveBranch(tx: Transaction, run: Run, existing: readonly string[]): Promise<string | null> {
  const title = titleOf(run.data.request)
  if (title === null) return null
  const promised = (await tx.machines({ kind: 'run' }))
    .filter(({ state }) => !isEnded(state))
    .map((other) => other.data.branch)
  return freeBranch(`drydock/${slug(title)}`, new Set([...existing, ...promised]))
}

function titleOf(request: RunRequest): string | null {
  if (request.kind === 'spec') return request.planOnly ? null : titleOfSpec(request.spec)
  return request.kind === 'task' && !request.dryRun && !request.follows ? subjectOf(request.task.text) : null
}

/**
 * Creates the run branch under the reserved name, or under the next free one if somebody has taken
 * it in the meantime. Returns the name.
 */
export async function publishNew(
  { userRepository, publisher }: Pick<WorkflowDependencies, 'userRepository' | 'publisher'>,
  branch: string,
  sha: string,
): Promise<string> {
  try {
    await publisher.publish(branch, sha, null)
    return branch
  } catch (error) {
    const taken = new Set(await userRepository.branches('drydock/'))
    if (!taken.has(branch)) throw error
    const other = freeBranch(branch, taken)
    await publisher.publish(other, sha, null)
    return other
  }
}
