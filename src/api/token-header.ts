/** The header of a request that acts: a token of `POST /api/session/token`. The browser app takes it from here, where nothing else comes with it. */
export const tokenHeader = 'Drydock-Token'
