import { type KeyboardEvent, useEffect, useId, useMemo } from 'react'
import type { Moment, MomentMark } from '../../../src/api/history.ts'
import { duration } from '../../figures-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { exactTime } from '../../parts/time.tsx'
import { PlayButtons } from './play-buttons.tsx'
import type { Past } from './run-at.ts'
import { leavePast, type PastView } from './use-past.ts'
import { usePlay } from './use-play.ts'
import './past.css'

/** The kinds of moments to jump to, each with its key on the slider. */
const jumps = [
  { mark: 'verdict', title: 'verdict', key: 'v' },
  { mark: 'review', title: 'review', key: 'w' },
  { mark: 'question', title: 'question', key: 'q' },
  { mark: 'merge', title: 'merge', key: 'm' },
] as const satisfies readonly { readonly mark: MomentMark; readonly title: string; readonly key: string }[]

/** The shown moment, its change, and the controls to go to any other. */
export function PastBar({ shown }: { readonly shown: PastView }) {
  const { past, n, now } = shown
  const { moments } = past
  const play = usePlay(shown)
  const goTo = (to: number) => {
    play.stop()
    shown.goTo(to)
  }
  const last = moments.length - 1
  const { moment } = now
  const jump = (mark: MomentMark, step: 1 | -1) => {
    const to = nextOf(past, { mark, n, step })
    if (to !== null) goTo(to)
  }
  useStepKeys((step) => goTo(n + step))
  const onSlider = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return leavePast()
    if (event.key === ' ') {
      event.preventDefault()
      return play.toggle()
    }
    const wanted = jumps.find(({ key }) => key === event.key.toLowerCase())
    if (wanted) jump(wanted.mark, event.shiftKey ? -1 : 1)
  }
  const help = useId()
  const isEnd = n === last
  return (
    <section className="past-bar card" aria-label="Time travel" data-moment={moment.id}>
      <div className="past-head">
        <p>
          <strong>You look at the past.</strong>{' '}
          <span className="sub">
            {exactTime(moment.at)}
            {!isEnd && <>, {beforeEnd(moments, n)} before the last event</>}. Nothing can be done here.
          </span>
        </p>
        <button type="button" className="button primary" onClick={leavePast}>
          Back to now
        </button>
      </div>
      <div className="past-line">
        <input
          type="range"
          aria-label="Moment"
          aria-describedby={help}
          aria-valuetext={`Event ${n + 1} of ${moments.length}. ${moment.story ?? ''} ${moment.what}`}
          min={0}
          max={last}
          step={1}
          value={n}
          onChange={({ target }) => goTo(Number(target.value))}
          onKeyDown={onSlider}
        />
        <Ticks moments={moments} />
      </div>
      <p className="past-what" role="status" aria-live={play.isPlaying ? 'off' : 'polite'}>
        <span className="sub past-count">
          {n + 1} of {moments.length}
        </span>
        {moment.mark && <span className={`past-mark mark-${moment.mark}`}>{moment.mark}</span>}
        {moment.story !== null && <code>{moment.story}</code>}
        <span>{moment.what}</span>
      </p>
      <div className="past-jumps">
        <PlayButtons play={play} />
        <Jump title="event" before={n > 0} after={!isEnd} go={(step) => goTo(n + step)} />
        {jumps.map(({ mark, title }) => (
          <Jump
            key={mark}
            title={title}
            before={nextOf(past, { mark, n, step: -1 }) !== null}
            after={nextOf(past, { mark, n, step: 1 }) !== null}
            go={(step) => jump(mark, step)}
          />
        ))}
      </div>
      <p className="sub with-keyboard" id={help}>
        <kbd>,</kbd> and <kbd>.</kbd> go from event to event. On the slider <kbd>Space</kbd> plays and pauses,{' '}
        <kbd>v</kbd> leads to the next verdict, <kbd>w</kbd> to a review, <kbd>q</kbd> to a question, <kbd>m</kbd> to a
        merge, with Shift to the one before, and <kbd>Esc</kbd> to now.
      </p>
    </section>
  )
}

interface JumpProps {
  readonly title: string
  readonly before: boolean
  readonly after: boolean
  readonly go: (step: 1 | -1) => void
}

function Jump({ title, before, after, go }: JumpProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" aria-label={`By ${title}`} className="past-jump">
      <button
        type="button"
        className="button icon-only past-before"
        aria-label={`Previous ${title}`}
        disabled={!before}
        onClick={() => go(-1)}
      >
        <Icon name="right" />
      </button>
      <span aria-hidden="true">{title}</span>
      <button
        type="button"
        className="button icon-only"
        aria-label={`Next ${title}`}
        disabled={!after}
        onClick={() => go(1)}
      >
        <Icon name="right" />
      </button>
    </div>
  )
}

/** Marks on the slider for the moments to jump to. Marks that would overlap are drawn once. */
function Ticks({ moments }: { readonly moments: readonly Moment[] }) {
  const ticks = useMemo(() => {
    const last = Math.max(1, moments.length - 1)
    const drawn = new Map<string, { readonly mark: MomentMark; readonly at: number }>()
    moments.forEach(({ mark }, n) => {
      const at = Math.round((n / last) * 500) / 5
      if (mark !== undefined) drawn.set(`${mark} ${at}`, { mark, at })
    })
    return [...drawn.values()]
  }, [moments])
  return (
    <div className="past-ticks" aria-hidden="true">
      {ticks.map(({ mark, at }) => (
        <span key={`${mark} ${at}`} className={`past-tick mark-${mark}`} style={{ left: `${at}%` }} />
      ))}
    </div>
  )
}

interface From {
  readonly mark: MomentMark
  readonly n: number
  readonly step: 1 | -1
}

function nextOf({ moments }: Past, { mark, n, step }: From): number | null {
  for (let at = n + step; at >= 0 && at < moments.length; at += step) if (moments[at]?.mark === mark) return at
  return null
}

function beforeEnd(moments: readonly Moment[], n: number): string {
  return duration(Math.max(0, Date.parse(moments.at(-1)?.at ?? '') - Date.parse(moments[n]?.at ?? '')))
}

/** Comma and full stop step anywhere on the page, except in text fields. */
function useStepKeys(step: (by: 1 | -1) => void): void {
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
      if (document.querySelector('dialog[open]')) return
      if (event.key === '.') step(1)
      else if (event.key === ',') step(-1)
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [step])
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null
}
