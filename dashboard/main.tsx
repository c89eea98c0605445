import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { finishProviderSignIn } from './data/provider-sign-in.ts'
import { signIn } from './data/sign-in.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/board.css'
import './styles/story.css'
import './styles/pages.css'

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the app')

// A refused token changes nothing; without a session the page explains how to get one.
const tryToSignIn = () => signIn().catch(() => undefined)
// A link may also be opened in a tab that already shows the dashboard. This listener runs before
// any page reads the address.
window.addEventListener('hashchange', () => void tryToSignIn())
await finishProviderSignIn()
await tryToSignIn()

createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
