import type { Readable } from 'node:stream'
import { createParser } from 'eventsource-parser'
import { limits } from '../../domain/limits.ts'
import type { Connecting, OwnerConnection } from '../../ports/owner.ts'
import type { Exchange } from './exchange.ts'

/**
 * Listens for events of a hub. The stream only says that something happened, and the listener then
 * reads the records, so nothing is missed during an interruption. Null while no process works on
 * the state, or the hub is away.
 */
export async function followEvents({ open }: Pick<Exchange, 'open'>, on: Connecting): Promise<OwnerConnection | null> {
  const over = new AbortController()
  const stream = await open('/api/events', over.signal)
  if (stream === null) return null
  const owned = Promise.withResolvers<boolean>()
  let connected = false
  let timer: NodeJS.Timeout | undefined
  const close = () => {
    clearTimeout(timer)
    over.abort()
    stream.destroy()
  }
  const end = () => {
    owned.resolve(false)
    if (over.signal.aborted) return
    close()
    if (connected) on.gone()
  }
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(end, limits.client.quietMs)
    on.alive?.()
  }
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'ending') end()
      else if (event !== 'owner') on.change()
      else if ((JSON.parse(data) as { readonly owned: boolean }).owned) owned.resolve(true)
      else end()
    },
  })
  hear()
  read(stream, (text) => {
    hear()
    parser.feed(text)
  }).then(end, end)
  if (!(await owned.promise)) {
    close()
    return null
  }
  connected = true
  return { facts: null, look: () => {}, wake: () => {}, ask: () => {}, close }
}

async function read(stream: Readable, take: (text: string) => void): Promise<void> {
  stream.setEncoding('utf8')
  for await (const text of stream) take(text as string)
}
