import { Icon } from '../../parts/icon.tsx'
import type { Play } from './use-play.ts'

const speeds = [1, 2, 4, 8]

/** Plays and pauses the past, at a chosen speed. */
export function PlayButtons({ play: { isPlaying, toggle, speed, setSpeed } }: { readonly play: Play }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" aria-label="Playback" className="past-play">
      <button type="button" className="button" onClick={toggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} /> {isPlaying ? 'Pause' : 'Play'}
      </button>
      <select
        className="input"
        aria-label="Speed"
        value={speed}
        onChange={({ target }) => setSpeed(Number(target.value))}
      >
        {speeds.map((each) => (
          <option key={each} value={each}>
            {each}×
          </option>
        ))}
      </select>
    </div>
  )
}
