import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from './data/session.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'

export function App() {
  const { session, hasEnded } = useSession()
  return session === null ? <SignIn hasEnded={hasEnded} /> : <SignedIn key={session} />
}

/** Each session gets its own cache, so that the next user never sees data of the previous one. */
function SignedIn() {
  const [client] = useState(createClient)
  return (
    <QueryClientProvider client={client}>
      <Shell />
    </QueryClientProvider>
  )
}

/** Everything is fetched once; afterwards the event stream reports changes. */
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
