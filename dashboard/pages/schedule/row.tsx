import type { ScaleTime } from 'd3-scale'
import type { Schedule } from '../../../src/api/schedule.ts'
import { spanTitle } from './phase-text.ts'
import type { BarKeys } from './use-bar-keys.ts'
import type { View } from './use-view.ts'

interface Props {
  /** The target of its name and its bars. */
  readonly to: string
  readonly story: Schedule['stories'][number]
  readonly x: ScaleTime<number, number>
  readonly view: View
  readonly now: number
  readonly top: number
  readonly keys: BarKeys
  readonly isFirst: boolean
}

/** Pixels beyond the visible part in which bars are rendered too. */
const beside = 300

/** A shorter bar would be invisible and could not be pointed at. */
const leastWidth = 3

export function Row({ to, story, x, view, now, top, keys, isFirst }: Props) {
  const { story: id, title, critical, spans } = story
  const isCurrent = (index: number) => keys.current?.story === id && keys.current.index === index
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" aria-label={title} className="gantt-row" style={{ transform: `translateY(${top}px)` }}>
      <a className={`gantt-name ${critical ? 'critical' : ''}`} href={to} data-item>
        <span>{title}</span>
        {critical && <span className="visually-hidden"> (on the critical path)</span>}
      </a>
      <div className="gantt-line">
        {spans.map((span, index) => {
          const left = x(Date.parse(span.from))
          const right = x(span.to === null ? now : Date.parse(span.to))
          const isInSight = right > view.left - beside && left < view.left + view.width + beside
          if (!isInSight && !isCurrent(index)) return null
          return (
            <button
              key={`${span.from} ${span.phase}`}
              type="button"
              className={`gantt-span phase-${span.phase} ${critical ? 'critical' : ''} ${span.to === null ? 'open' : ''}`}
              style={{ left, width: Math.max(leastWidth, right - left - 1) }}
              tabIndex={isCurrent(index) || (keys.current === null && isFirst && index === 0) ? 0 : -1}
              aria-label={`${title}: ${spanTitle(span, now)}. ${span.why}`}
              data-bar={`${id} ${index}`}
              onPointerEnter={() => keys.look({ story: id, index })}
              onFocus={() => keys.look({ story: id, index })}
              onClick={() => {
                window.location.hash = to
              }}
            />
          )
        })}
      </div>
    </div>
  )
}
