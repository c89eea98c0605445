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
  /** Removes secrets from everything that a browser gets. */
  readonly redact: (text: string) => string
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
}

export type Download = z.output<typeof downloadQuerySchema>

/** Streams a list as a file, so that a long list needs no memory. */
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
  // Reads the first item early, so that an unknown Run still gets an error status.
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
        // Redacts each item by itself, which is enough: a secret cannot span two items.
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
