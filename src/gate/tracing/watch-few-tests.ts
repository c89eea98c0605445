import { insideArtifacts } from '../inside.ts'
import { awareOfOthers, type FewTests } from './aware-of-others.ts'
import { lookTrace } from './kept-calls.ts'
import type { Watch } from './tracing.ts'

export interface WatchOfFew extends Watch {
  /**
   * The way in which a process of these steps could notice the missing test files; null without
   * one.
   */
  told(): string | null
}

/** Watches steps on a tree without some test files for anything that could notice their absence. */
export function watchFewTests(
  few: Omit<FewTests, 'artifactDir'>,
  { steps }: { readonly steps: readonly string[] },
): WatchOfFew {
  const seen = new Set<string>()
  let told: string | null = null
  return {
    untraced: null,
    mayDisturb: false,
    trace: lookTrace,
    take(step, text) {
      // Leftovers of an earlier step are seen only by a test that looks for them.
      if (!steps.includes(step)) return
      seen.add(step)
      const own = { ...few, artifactDir: insideArtifacts }
      told ??= text === null ? 'its trace is not whole' : awareOfOthers(text, own)
    },
    lose: () => undefined,
    told: () => told ?? (steps.every((each) => seen.has(each)) ? null : 'a step has no trace'),
  }
}
