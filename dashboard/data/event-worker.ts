import { createEventHub } from './event-hub.ts'

/** The one place of a browser that reads the event stream, for all its tabs. */
const hub = createEventHub()
const scope = self as unknown as { onconnect: (event: MessageEvent) => void }
scope.onconnect = ({ ports: [port] }) => {
  if (port) hub.join(port)
}
