import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CutText, TimelineEntry } from '../../../src/api/timeline.ts'
import { apiPath, get } from '../../data/client.ts'
import { count } from '../../figures-text.ts'
import { Problem } from '../../parts/notice.tsx'
import { Preformatted } from '../../parts/preformatted.tsx'

interface Props {
  readonly run: string
  readonly cursor: string
  readonly part: 'input' | 'output'
  readonly text: CutText
}

/** A text of a call, whose rest is fetched on demand. */
export function WholeText({ run, cursor, part, text }: Props) {
  const [whole, setWhole] = useState(false)
  const query = useQuery({
    queryKey: ['timeline-entry', run, cursor],
    queryFn: ({ signal }) => get<{ readonly entry: TimelineEntry }>(apiPath('runs', run, 'timeline', cursor), signal),
    enabled: whole,
  })
  const shown = (whole && query.data?.entry[part]) || text
  return (
    <>
      <Preformatted label={part === 'input' ? 'In' : 'Out'}>{pretty(shown.text)}</Preformatted>
      {shown.truncated && !whole && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show more of {count(shown.chars)} characters
        </button>
      )}
      {query.isError && <Problem error={query.error} />}
      {shown.truncated && whole && query.isSuccess && (
        <p className="sub">Cut here; {count(shown.chars)} characters in all.</p>
      )}
    </>
  )
}

/** Formatted JSON; any other text is unchanged. */
function pretty(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
