import type { RunFolder } from '../../ports/artifacts.ts'
import type { RunTreeDeps } from '../run-tree.ts'
import type { TestsOfTrees, TreeTests } from '../tests-of-tree.ts'
import type { WatchOfFew } from '../tracing/watch-few-tests.ts'
import type { VerifyInput } from '../verification-place.ts'

export type VariantDeps = RunTreeDeps & { readonly testsOfTrees: TestsOfTrees }

/** An uncommitted tree, made from the base commit and the change. */
export interface Variant {
  readonly tree: string
  /** Name of the variant; its log is `logs/<name>.log` of the verification. */
  readonly name: string
  /** The commit whose metadata the variant copies; the change if left out. */
  readonly like?: string
}

/**
 * Commits a variant for a checkout. Steps that ask git must not be able to distinguish this tree
 * from the change's own.
 */
export function commitVariant(
  { history }: Pick<RunTreeDeps, 'history'>,
  {
    input,
    variant: { tree, like = input.commit },
  }: { readonly input: VerifyInput; readonly variant: Omit<Variant, 'name'> },
): Promise<string> {
  // One ref per checkout is enough, since a checkout has one verification at a time.
  return history.commitLike({ like, tree, ref: `refs/drydock/proofs/${input.checkout}` })
}

/**
 * Runs the steps on a variant of the tree, once for each tree and configuration, or again with
 * `anew`. Rejects with InfraFailure.
 */
export async function runVariant(
  deps: VariantDeps,
  {
    input,
    folder,
    variant,
    ...how
  }: {
    readonly input: VerifyInput
    readonly folder: RunFolder
    readonly variant: Variant
    readonly anew?: boolean
    readonly untilRed?: boolean
    /** A file below the steps' temporary folder whose lines are returned as `noted`. */
    readonly notes?: string
    readonly watch?: WatchOfFew
  },
  signal: AbortSignal,
): Promise<TreeTests> {
  const commit = await commitVariant(deps, { input, variant })
  const { name } = variant
  return deps.testsOfTrees.of({ deps, input, folder, commit, name, ...how }, signal)
}
