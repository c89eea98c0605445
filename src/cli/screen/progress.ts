import type { Event } from '../../domain/event.ts'
import { formatCount } from '../../domain/figures-text.ts'
import { advance } from './advance.ts'
import { crewInShort } from './crew-lines.ts'
import type { Milestone } from './milestone.ts'
import type { Terminal } from './output.ts'
import { pausedInShort } from './paused-lanes.ts'
import { createScreen } from './screen.ts'
import { attemptOf, costInShort, createStoryline, formatElapsed, type Storyline } from './storyline.ts'

export interface Progress {
  show(event: Event): void
  /** Adds the state of a Run whose first events will not be shown. */
  recall(run: string, storyline: Storyline): void
  /** Clears the live line for other output. The live line returns by itself. */
  clear(): void
  /** Holds output back while a person is asked at this terminal, and prints it afterwards. */
  hush(on: boolean): void
  /** Removes the live line for good. May be called several times. */
  end(): void
}

/**
 * Progress for people: a line for each milestone, and in a terminal one live line with the state,
 * the attempt, the last tool, the time and the tokens.
 */
export function createProgress(
  { stderr, env }: Pick<Terminal, 'stderr' | 'env'>,
  { json }: { readonly json: boolean },
): Progress {
  const screen = createScreen(stderr, env)
  const live = screen.live && !json
  const storylines = new Map<string, Storyline>()
  const begin = Date.now()
  let shown: string | null = null
  const held: string[] = []
  let hushed = false
  let timer = live ? setInterval(draw, 1_000) : undefined

  function draw(): void {
    if (timer === undefined || hushed) return
    const storyline = (shown !== null && storylines.get(shown)) || { ...createStoryline(), since: begin }
    // Leaves the last column free, since some terminals wrap after writing to it.
    stderr.write(`\r\u001b[2K${screen.paint('faint', screen.fit(liveLine(storyline), 1))}`)
  }

  function clear(): void {
    if (timer !== undefined && !hushed) stderr.write('\r\u001b[2K')
  }

  function print(line: string): void {
    if (hushed) {
      held.push(line)
      return
    }
    clear()
    stderr.write(`${line}\n`)
  }

  /** Prints the name of the Run when the lines of another Run follow. */
  function head({ run, type, data }: Event): void {
    if (shown === run) return
    print(`${shown === null ? '' : '\n'}${screen.paint('strong', screen.fit(`run ${run}`))}`)
    if (type === 'run') print(`  ${screen.fit(data.title.split('\n')[0] ?? '', 2)}`)
    shown = run
  }

  function format({ text, tone, detail, depth, story }: Milestone, event: Event, since: number | null): string {
    const time = formatElapsed(Date.parse(event.at) - (since ?? 0)).padStart(6)
    const name = story === undefined ? '' : `${shortName(story).padEnd(12)} `
    const lead = `${time}  ${name}${'  '.repeat(depth)}`
    const label = detail ? text.padEnd(11 - 2 * depth) : text
    const words = screen.fit(detail ? `${label} ${detail}` : label, lead.length)
    return `${screen.paint('faint', lead)}${screen.paint(tone, words.slice(0, label.length))}${screen.paint('faint', words.slice(label.length))}`
  }

  return {
    show(event) {
      const storyline = storylines.get(event.run) ?? createStoryline()
      storylines.set(event.run, storyline)
      const milestone = advance(storyline, event)
      if (json) return
      if (milestone || event.type === 'run') head(event)
      if (milestone) print(format(milestone, event, storyline.since))
      for (const note of milestone?.notes ?? []) print(screen.paint('faint', `        ${screen.fit(note, 8)}`))
      if (milestone?.more) print(`\n${screen.prose(milestone.more)}\n`)
      draw()
    },
    recall: (run, storyline) => void storylines.set(run, storyline),
    clear,
    hush(on) {
      if (on) clear()
      hushed = on
      if (!on) for (const line of held.splice(0)) print(line)
    },
    end() {
      clear()
      clearInterval(timer)
      timer = undefined
    },
  }
}

function liveLine(storyline: Storyline): string {
  const { kind, state, stories, git, last, tokens, since, paused } = storyline
  const [task] = stories.values()
  const pause = pausedInShort(paused, new Date()) ?? ''
  const elapsed = formatElapsed(Date.now() - (since ?? Date.now())).padStart(6)
  const parts =
    kind === 'spec' || kind === 'interview'
      ? crewInShort(storyline)
      : [
          pause,
          state,
          task === undefined ? '' : attemptOf(task.attempt),
          git || last,
          `${formatCount(tokens)} tokens`,
          costInShort(storyline),
        ]
  return `${elapsed}  ${parts.filter(Boolean).join(' · ')}`
}

/** Shortens the name of a story for the start of a line. */
function shortName(story: string): string {
  return story.length <= 20 ? story : `${story.slice(0, 19)}…`
}
