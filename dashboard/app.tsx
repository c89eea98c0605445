import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from './data/session.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'

export function App() {
  const { session, hasEnded } = useSession()
  return session === null ? <SignIn hasEnded={hasEnded} /> : <SignedIn key={session} />
}

/** What one session has read is never shown to whoever has the next. */
function SignedIn() {
  const [client] = useState(createClient)
  return (
    <QueryClientProvider client={client}>
      <Shell />
    </QueryClientProvider>
  )
}

/** Everything is asked for once; after that the event stream says what has changed. */
function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}
