import { randomBytes } from 'node:crypto'
import type { Annotation } from '../../../app/text/ci/annotations.ts'
import type { CiService } from '../../../domain/ci/ci-event.ts'
import { limits } from '../../../domain/limits.ts'
import { plainLine } from '../../../domain/plain-text.ts'
import type { Context } from '../../context.ts'
import { createOutput, type Terminal } from '../../screen/output.ts'

/**
 * The output in a pipeline, whose service executes some of the lines that are printed. Names of
 * tests and files and messages of git come from strangers. Every line except annotations is
 * therefore printed so that the service does not execute it.
 */
export interface CiVoice {
  readonly context: Context
  /** Ends the log and prints the annotations, which must come last. */
  end(annotations: readonly Annotation[]): void
}

export function createCiVoice(given: Context, service: CiService | null): CiVoice {
  if (service === null) return { context: given, end: () => {} }
  const { json } = given.output
  const { stdout, stderr } = given.terminal
  // Uses one stream for all text, since a service reads two streams in any order.
  const words = json ? stderr : stdout
  const inert = without(words, (text) => text.replaceAll(steering, ''))
  const terminal: Terminal = {
    ...given.terminal,
    stdout: json ? without(stdout, (line) => line.replaceAll('##[', '#\\u0023[')) : inert,
    stderr: inert,
  }
  const context = { terminal, output: createOutput(terminal, { json }) }
  return service === 'gitlab' ? gitlabVoice(context, words) : actionsVoice(context, words)
}

/**
 * Control characters except tabs and newlines, and characters that change the direction of writing.
 */
const steering = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu

function without(stream: NodeJS.WriteStream, change: (text: string) => string): NodeJS.WriteStream {
  return Object.create(stream, {
    write: { value: (text: string | Uint8Array) => stream.write(change(String(text))) },
  })
}

/**
 * Encloses the log in two lines with a random token. Between them the runner executes no commands.
 */
function actionsVoice(context: Context, words: NodeJS.WriteStream): CiVoice {
  const token = randomBytes(24).toString('hex')
  words.write(`::stop-commands::${token}\n`)
  return {
    context,
    end(annotations) {
      words.write(`\n::${token}::\n`)
      for (const level of ['error', 'warning', 'notice'] as const) {
        const own = annotations.filter((each) => each.level === level)
        for (const each of bounded(own)) words.write(`${workflowCommand(each)}\n`)
      }
    },
  }
}

function bounded(annotations: readonly Annotation[]): readonly Annotation[] {
  const [last, max] = [annotations.at(-1), limits.ci.annotations]
  if (annotations.length <= max || last === undefined) return annotations
  const more = annotations.length - max + 1
  const said = { title: `Drydock: ${more} more`, message: `And ${more} more. The summary of the job lists them.` }
  return [...annotations.slice(0, max - 1), { ...last, ...said, file: null, line: null }]
}

/**
 * Encloses the log in a collapsible section. Its marks need control characters, which the text
 * cannot contain.
 */
function gitlabVoice(context: Context, words: NodeJS.WriteStream): CiVoice {
  const mark = (edge: string, title: string) =>
    words.write(`\u001b[0Ksection_${edge}:${Math.floor(Date.now() / 1_000)}:drydock_ci\r\u001b[0K${title}\n`)
  mark('start', 'Drydock')
  return {
    context,
    end(annotations) {
      mark('end', '')
      const { output } = context
      for (const { level, title, message, file, line } of annotations.slice(0, limits.ci.listed)) {
        // A file name may have several lines, which would look like output of Drydock.
        const where = file === null ? '' : ` ${plainLine(file, limits.ci.lineChars)}${line === null ? '' : `:${line}`}`
        output.note(`${level}:${where} ${title}: ${message.split('\n')[0]}`)
      }
      const more = annotations.length - limits.ci.listed
      if (more > 0) output.note(`And ${more} more.`)
    },
  }
}

/**
 * A line that GitHub and Forgejo show as an annotation. Escaped as their runners unescape it, so
 * that it stays one line and one command.
 */
function workflowCommand({ level, title, message, file, line }: Annotation): string {
  const place = file === null ? {} : { file, ...(line !== null && { line: String(line) }) }
  const properties = Object.entries({ ...place, title }).map(([key, value]) => `${key}=${property(value)}`)
  return `::${level} ${properties.join(',')}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
