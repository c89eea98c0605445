/**
 * The protocol's version; raise it with each change of the messages between clients and hubs that
 * either side must know.
 */
export const clientProtocol = 3
