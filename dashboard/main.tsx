import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { openSession } from './data/session.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/board.css'
import './styles/story.css'
import './styles/pages.css'

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the app')

// A token that is refused leads to the same page as none: the first question to the server says so.
await openSession().catch(() => undefined)

createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
