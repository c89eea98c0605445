import { type Json, parsedJson } from '../../../domain/json.ts'

/** A part of an answer: an event of a stream, or the whole answer if it is not a stream. */
export interface AnswerPart {
  readonly text: string
  /** Undefined if the text is not JSON. */
  readonly json: Json | undefined
  /** The event's name; empty if it has none. */
  readonly event: string
  /** True for lines between events, which belong to none of them. */
  readonly isStray: boolean
}

/** Reads an answer while its bytes pass through. */
export interface PartReader {
  take(bytes: Uint8Array): void
  /** `isCut` is true if the answer ended inside an event, which is then not passed on as a part. */
  end(): { readonly isCut: boolean }
}

/**
 * Splits an answer into its parts. The first character shows if it is an event stream, since
 * servers and proxies often send wrong content types.
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

/**
 * Server-sent events. Stray lines become one part at the end, since they may be a proxy's error
 * message.
 */
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
      // The next chunk may begin with the line feed of this carriage return.
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
