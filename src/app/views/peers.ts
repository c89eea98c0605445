import { type AgainstPeers, againstPeers, workingMs } from '../../domain/story/against-peers.ts'
import type { RunFacts } from './run-facts.ts'

/** Compares each story's usage with the other stories, up to a time. */
export function peersOf({ stories, spending, movesOf }: RunFacts, until: string): ReadonlyMap<string, AgainstPeers> {
  return againstPeers(
    stories.map(({ story }) => {
      const own = (movesOf.get(story) ?? []).map(({ at, data }) => ({ at, to: data.to }))
      const calls = spending.reduce((sum, each) => (each.story === story ? sum + each.calls : sum), 0)
      return { id: story ?? '', calls, workingMs: workingMs(own, until) }
    }),
  )
}
