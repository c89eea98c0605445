import { createEventHub } from './event-hub.ts'

/** The only reader of the event stream in a browser, for all its tabs. */
const hub = createEventHub()
const scope = self as unknown as { onconnect: (event: MessageEvent) => void }
scope.onconnect = ({ ports: [port] }) => {
  if (port) hub.join(port)
}
