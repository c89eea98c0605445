import { type Json, parsedJson } from '../../../domain/json.ts'

/** A part of an answer: an event of its stream, or all of it where it is no stream. */
export interface AnswerPart {
  readonly text: string
  /** Undefined for what is no JSON. */
  readonly json: Json | undefined
  /** The event's name, where it has one. */
  readonly event: string
  /** Lines between events, which belong to none. */
  readonly isStray: boolean
}

/** Reads along while the bytes of an answer pass. */
export interface PartReader {
  take(bytes: Uint8Array): void
  /** Whether it was cut inside of an event, which is no part then. */
  end(): { readonly isCut: boolean }
}

/**
 * Splits an answer into its parts. Whether it is a stream of events shows in its first character:
 * servers and proxies are careless with content types.
 */
export function readParts(onPart: (part: AnswerPart) => void): PartReader {
  const decoder = new TextDecoder()
  let reader: TextReader | null = null

  function take(text: string): void {
    if (reader === null) {
      const begun = text.trimStart()
      if (begun === '') return
      reader = /^[{["<]/.test(begun) ? readWhole(onPart) : readEvents(onPart)
      reader.take(begun)
    } else reader.take(text)
  }

  return {
    take: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end() {
      take(decoder.decode())
      return { isCut: reader?.end() ?? false }
    },
  }
}

interface TextReader {
  take(text: string): void
  end(): boolean
}

function partOf(text: string, { event = '', isStray = false } = {}): AnswerPart {
  return { text, json: parsedJson(text), event, isStray }
}

function readWhole(onPart: (part: AnswerPart) => void): TextReader {
  const pieces: string[] = []
  return {
    take: (text) => void pieces.push(text),
    end() {
      onPart(partOf(pieces.join('')))
      return false
    },
  }
}

/** Server-sent events. Lines that belong to none are one part at the end: a proxy's last words. */
function readEvents(onPart: (part: AnswerPart) => void): TextReader {
  let unfinished: string[] = []
  let data: string[] = []
  let event = ''
  const stray: string[] = []

  function dispatch(): void {
    const text = data.join('\n')
    if (text.trim() !== '' && text.trim() !== '[DONE]') onPart(partOf(text, { event }))
    data = []
    event = ''
  }

  function takeLine(line: string): void {
    const [, field, value = ''] = /^(data|event|id|retry|)(?:: ?(.*))?$/s.exec(line) ?? []
    if (line === '') dispatch()
    else if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === undefined) stray.push(line)
  }

  return {
    take(text) {
      unfinished.push(text)
      if (!/[\r\n]/.test(text)) return
      // A line feed that belongs to this carriage return may follow.
      const lines = unfinished.join('').split(/\r\n|\n|\r(?!$)/)
      unfinished = [lines.pop() ?? '']
      for (const line of lines) takeLine(line)
    },
    end() {
      const last = unfinished.join('').replace(/\r$/, '')
      takeLine(last)
      const isCut = last !== '' && data.length > 0 && parsedJson(data.join('\n')) === undefined
      if (!isCut) dispatch()
      if (stray.length > 0) onPart(partOf(stray.join('\n'), { isStray: true }))
      return isCut
    },
  }
}
