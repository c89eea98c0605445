import type { JsonObject } from '../../../domain/json.ts'
import type { AnswerReader } from './formats/format.ts'
import { parsedJson } from './parsed-json.ts'

/** Reads along while the bytes of an answer pass. */
export interface ReadingAlong {
  take(bytes: Uint8Array): void
  end(): void
}

export function readAlong(reader: AnswerReader, contentType: string): ReadingAlong {
  return contentType.includes('text/event-stream') ? readEvents(reader) : readWhole(reader)
}

/** Server-sent events: of each only its data. */
function readEvents(reader: AnswerReader): ReadingAlong {
  const decoder = new TextDecoder()
  let unfinished: string[] = []
  let data: string[] = []

  function takeLine(line: string): void {
    if (line.startsWith('data:')) data.push(line.slice(5))
    if (line !== '') return
    takeJson(reader, data.join('\n'))
    data = []
  }

  return {
    take(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      unfinished.push(text)
      if (!text.includes('\n')) return
      const lines = unfinished.join('').split('\n')
      unfinished = [lines.pop() ?? '']
      for (const line of lines) takeLine(line.replace(/\r$/, ''))
    },
    end() {
      takeLine(unfinished.join(''))
      takeLine('')
    },
  }
}

function readWhole(reader: AnswerReader): ReadingAlong {
  const chunks: Uint8Array[] = []
  return {
    take: (bytes) => void chunks.push(bytes),
    end: () => takeJson(reader, Buffer.concat(chunks).toString()),
  }
}

/** Google's stream is one list where no events are asked for. What is no JSON tells nothing. */
function takeJson(reader: AnswerReader, text: string): void {
  const json = parsedJson(text)
  for (const part of Array.isArray(json) ? json : [json]) {
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) reader.take(part as JsonObject)
  }
}
