import type { ReadStream } from 'node:tty'
import type { Drydock } from '../../../app/drydock.ts'
import { actsOf } from '../../../app/operations/acts-of.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Event } from '../../../domain/event.ts'
import { limits } from '../../../domain/limits.ts'
import type { OpenEscalation } from '../../../domain/request/open-escalations.ts'
import { type AskedQuestion, answerOf, missingOption, optionLines } from '../../../domain/run/interview.ts'
import type { Context } from '../../context.ts'
import { askLine } from '../../screen/ask-line.ts'
import { replyLine } from '../../screen/question.ts'
import { createScreen } from '../../screen/screen.ts'

/** Asks the questions of an interview at this terminal, one after the other. */
export interface Interviewer {
  /** Takes the open questions. A question that is no longer open is removed from the terminal. */
  look(open: readonly OpenEscalation[]): void
  /**
   * True if the person sees this event as a question or answer here, so that it need not be
   * printed.
   */
  tells(event: Event): boolean
  /** Removes the open question, and asks no further one. */
  end(): Promise<void>
  /** Throws the failure that stopped the command, if there was one. */
  check(): void
}

export interface Interviewing {
  readonly drydock: Drydock
  readonly keyboard: ReadStream
  /** Suppresses other output while a question is on the screen. */
  readonly hush: (on: boolean) => void
  /** Aborted when the person stops the command, and when an answer cannot be stored. */
  readonly stop: AbortController
}

export function createInterviewer({ terminal }: Context, { drydock, keyboard, hush, stop }: Interviewing): Interviewer {
  const screen = createScreen(terminal.stderr, terminal.env)
  const given = new Set<string>()
  let open: readonly AskedQuestion[] = []
  let current: { readonly message: string; readonly back: AbortController } | null = null
  let asking: Promise<void> | null = null
  let ended = false
  let failure: { readonly error: unknown } | null = null
  // A question was redacted when it was stored, so it is safe to print.
  const say = (text: string) => void terminal.stderr.write(`${text}\n`)

  async function askAll(): Promise<void> {
    for (;;) {
      const next = open.find(({ message }) => !given.has(message))
      if (isOver() || next === undefined) return
      await ask(next)
    }
  }

  async function ask(question: AskedQuestion): Promise<void> {
    const { message } = question
    const back = new AbortController()
    current = { message, back }
    hush(true)
    const text = await readAnswer(question, back.signal)
    current = null
    if (text !== null || back.signal.aborted) given.add(message)
    if (text === null && back.signal.aborted && !isOver()) say('\nThis question is no longer open.')
    else if (text === null && !isOver()) leave()
    hush(false)
    if (text === null) return
    say(screen.paint('faint', screen.prose(`= ${answerOf(question, text)}`)))
    const acts = await actsOf(drydock)
    await acts.reply({ id: message, text }).catch((error: unknown) => {
      if (!(error instanceof DrydockError)) throw error
      say(screen.clean(error.message))
    })
  }

  /** Reads an answer; null without one. Asks again if the answer is none of the options. */
  async function readAnswer(question: AskedQuestion, signal: AbortSignal): Promise<string | null> {
    for (let above = `\n${describe(question)}`; ; ) {
      const line = await askLine(terminal, { keyboard, prompt: '> ', show: () => say(above) }, signal)
      if (line === null) return null
      const text = line.trim()
      if (text === '') return String(question.recommended)
      const missing = missingOption(question, text)
      if (text.length > limits.chatChars) above = `Use at most ${limits.chatChars} characters.`
      else if (missing === null) return text
      else above = `There is no option ${missing}.`
    }
  }

  function describe(question: AskedQuestion): string {
    const left = open.filter(({ message }) => !given.has(message)).length
    const head = `${left === 1 ? '1 question is' : `${left} questions are`} open. This is message ${question.message}.`
    const how = `Type a number or your own words. Enter takes ${question.recommended}. With d the architect decides.`
    return [
      screen.paint('faint', head),
      screen.paint('strong', screen.prose(question.question)),
      ...(question.why === '' ? [] : [screen.prose(question.why)]),
      `\n${optionLines(question)
        .map((line) => screen.prose(`  ${line}`))
        .join('\n')}\n`,
      screen.paint('faint', how),
    ].join('\n')
  }

  /** Leaves the questions open after the person has closed the input. */
  function leave(): void {
    ended = true
    say(
      '\nThe questions stay open, and this command waits. Answer in the dashboard or from another terminal, or press Ctrl-C and continue later with `drydock spec --continue`:',
    )
    for (const { message } of open.filter((each) => !given.has(each.message))) say(`  ${replyLine(message)}`)
  }

  const isOver = () => ended || stop.signal.aborted

  function begin(): void {
    if (isOver() || asking !== null || open.every(({ message }) => given.has(message))) return
    asking = askAll()
      .catch((error: unknown) => {
        failure = { error }
        stop.abort()
      })
      .finally(() => {
        asking = null
        begin()
      })
  }

  return {
    look(all) {
      open = all.flatMap(({ choice }) => choice ?? [])
      if (current && !open.some(({ message }) => message === current?.message)) current.back.abort()
      begin()
    },
    tells({ type, data }) {
      if (type === 'escalation') return data.options !== undefined && !isOver()
      if (type === 'escalation_answered') return given.has(data.id)
      return type === 'chat' && data.reply_to !== undefined && given.has(data.reply_to)
    },
    async end() {
      ended = true
      current?.back.abort()
      await asking
    },
    check() {
      if (failure !== null) throw failure.error
    },
  }
}
