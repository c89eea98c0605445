import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RunDetail } from '../../../src/api/runs.ts'
import type { StoryDetail } from '../../../src/api/stories.ts'
import { diffQuery, keys, versionOf } from '../../data/queries.ts'
import { parseRoute } from '../../router.ts'
import { DiffReview } from './review-panel.tsx'

/** Fetches a diff when somebody points at a link to it, before they press it. */
export function usePointedDiff(): void {
  const client = useQueryClient()
  useEffect(() => {
    const pointed = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#/runs/"]') : null
      if (link) askSoon(client, parseRoute(link.hash).path)
    }
    document.addEventListener('pointerover', pointed)
    document.addEventListener('focusin', pointed)
    return () => {
      document.removeEventListener('pointerover', pointed)
      document.removeEventListener('focusin', pointed)
    }
  }, [client])
}

/** The version of the diff is known if a page has shown its run or story. */
function askSoon(client: QueryClient, [, run = '', place, id = '', tab]: readonly string[]): void {
  const story = place === 'stories' && tab === 'diff' ? id : null
  if (place !== 'diff' && story === null) return
  DiffReview.soon()
  const detail = client.getQueryData<RunDetail>(keys.run(run))
  const version =
    story === null ? detail && versionOf(detail) : client.getQueryData<StoryDetail>(keys.story(run, story))?.sha
  if (version === undefined) return
  void client.prefetchQuery(diffQuery(run, story, { version, from: null, to: null }))
}
