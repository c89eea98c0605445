import type { z } from 'zod'
import type { downloadQuerySchema } from '../../api/downloads.ts'
import type { BenchViews } from '../../app/views/bench/benches.ts'
import { readListed } from '../../app/views/listed.ts'
import type { ReceiptViews } from '../../app/views/receipts/receipts.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'

interface Sending {
  readonly sources: ViewSources
  readonly receipts: ReceiptViews
  /** Throws DrydockError `not_found` on a hub. */
  readonly benches: () => BenchViews
  /** Takes the user's keys out of what a browser gets. */
  readonly redact: (text: string) => string
  /** Told of bugs. */
  readonly onError: (error: unknown) => void
}

export type Download = z.output<typeof downloadQuerySchema>

/** A list as a file, sent while it is read, so that its length costs no memory. */
export async function sendList(
  { sources, receipts, benches, redact, onError }: Sending,
  { list, run, story, bench }: Download,
): Promise<Response> {
  const wanted = {
    list,
    ...(run !== undefined && { run }),
    ...(story !== undefined && { story }),
    ...(bench !== undefined && { bench }),
  }
  const items = readListed({ ...sources, receipts, benches }, wanted)
  // Before anything is sent: a Run that is not there is an error with a status.
  let next = await items.next()
  const parts = new TextEncoder()
  const head = JSON.stringify({
    list,
    run: run ?? null,
    ...(story !== undefined && { story }),
    ...(bench !== undefined && { bench }),
    version: sources.version,
  })
  let before = `${redact(head.slice(0, -1))},"items":[`
  const end = '\n]}\n'
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (next.done) {
          controller.enqueue(parts.encode(before === ',' ? end : `${before}${end}`))
          return controller.close()
        }
        // Each by itself, as all that a browser gets: a key is in no two of them.
        controller.enqueue(parts.encode(`${before}\n${redact(JSON.stringify(next.value))}`))
        before = ','
        next = await items.next()
      } catch (error) {
        onError(error)
        controller.error(error)
      }
    },
    async cancel() {
      await items.return(undefined)
    },
  })
  const name = ['drydock', run, bench, story, list].filter((part) => typeof part === 'string').join('-')
  return new Response(body, {
    headers: {
      'Content-Type': 'application/json',
      'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}.json"`,
    },
  })
}
