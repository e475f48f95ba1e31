import type { Tone } from '../../src/tools/rewrite/tones.ts';

/** Texts with the tone that a reader would name. They were written for these tests. */
export const tonesOf: [Tone, string][] = [
  [
    'formal',
    'Dear Sir or Madam, I am writing to inquire about the vacant position. Please find enclosed my curriculum vitae. I would be grateful for a reply at your earliest convenience.',
  ],
  [
    'formal',
    'The committee hereby approves the resolution, in accordance with the provisions of section four. All members shall be notified accordingly.',
  ],
  [
    'formal',
    'We regret to inform you that your request cannot be granted. Furthermore, the deadline for objections has passed.',
  ],
  [
    'formal',
    'It is therefore recommended that the agreement be terminated, notwithstanding the obligations of the parties.',
  ],
  [
    'formal',
    'Sehr geehrte Frau Weber, hiermit bestätigen wir den Eingang Ihres Antrags. Mit freundlichen Grüßen',
  ],
  [
    'formal',
    'Madame, Monsieur, je vous prie de bien vouloir trouver ci-joint votre contrat. Veuillez agréer nos salutations.',
  ],
  [
    'formal',
    'Estimado señor Ruiz: le ruego que confirme mediante carta su asistencia. Atentamente',
  ],
  [
    'formal',
    'The undersigned respectfully requests an extension. Prior approval was obtained from the department concerned.',
  ],
  ['casual', "Hey guys, gonna be a bit late, traffic's crazy. Don't wait for me, yeah?"],
  ['casual', 'lol no idea what happened there, my laptop just died. gotta buy a new one i guess'],
  ['casual', "So I was like, dude, that's not cool. Anyway, we ended up getting pizza and stuff."],
  ['casual', "Nah, it's fine. I'll figure it out. Maybe we can just grab lunch or something."],
  ['casual', "Yep, saw it. Kinda weird, but okay. What's up with the lights?"],
  ['casual', "can't make it tonight, super tired. tmrw maybe? idk"],
  ['casual', 'Na ja, war halt ein bisschen krass gestern. Mega laut auch.'],
  ['casual', 'Ouais bof, le film était pas super. On y va quand même?'],
  [
    'technical',
    'The cache is invalidated when the TTL expires; the API then falls back to the database, which adds 40 ms of latency.',
  ],
  [
    'technical',
    'Set `max_connections` to 200 and restart the server. Each thread needs 8 MB of stack.',
  ],
  [
    'technical',
    'The algorithm runs in O(n log n) and allocates one buffer per request. Parameters are passed by reference.',
  ],
  [
    'technical',
    'We fitted a linear regression with a variance of 0.3; the p-value of the coefficient was 0.02.',
  ],
  [
    'technical',
    'The TCP handshake takes one round trip; TLS adds another. With HTTP/3 both are combined over UDP.',
  ],
  [
    'technical',
    'Deploy the module to the cluster with the CLI. The endpoint returns a JSON payload with the token.',
  ],
  ['technical', 'The motor draws 12 V at 3 A and turns at 1500 rpm; the coil heats up to 80 °C.'],
  [
    'technical',
    'Kernel threads share the address space, so the compiler must not reorder writes to the queue.',
  ],
  [
    'friendly',
    'Welcome to the team, Lena! We are so happy to have you here. Feel free to ask us anything.',
  ],
  [
    'friendly',
    "Thank you so much for the lovely flowers! I hope you're doing well. Looking forward to seeing you soon!",
  ],
  ['friendly', 'Congratulations on your new home! Wishing you and the family a wonderful start 🎉'],
  ['friendly', 'Happy birthday, Sam! Enjoy your day, and take care of yourself.'],
  [
    'friendly',
    'No worries at all, glad it worked out! Let me know if there is anything else I can do 😊',
  ],
  ['friendly', 'Liebe Anna, danke für deinen Brief! Ich freue mich sehr auf Sonntag. Viele Grüße'],
  ['friendly', '¡Hola, querida Ana! Gracias por todo. Un abrazo'],
  [
    'friendly',
    'Thanks for stopping by. It was wonderful to meet you all, and we hope to welcome you again.',
  ],
  ['persuasive', 'Buy now and save up to 50%! This exclusive offer ends today. Why wait?'],
  [
    'persuasive',
    'Imagine a kitchen that cleans itself. Discover the proven way to win back your evenings. Order now.',
  ],
  [
    'persuasive',
    'We must act today. We cannot afford to wait until the last forest is gone. Join us, and urge your council to vote.',
  ],
  ['persuasive', "Don't miss the best deal of the year. Guaranteed results, or your money back!"],
  [
    'persuasive',
    'You deserve better. Make the switch to the unbeatable plan that thousands trust. Sign up free today.',
  ],
  ['persuasive', 'Jetzt kaufen und sparen: kostenlos testen, garantiert ohne Risiko!'],
  ['persuasive', 'Profitez de cette offre exclusive! Livraison gratuite, satisfaction garantie.'],
  [
    'persuasive',
    'Ask yourself what your data is worth. Investing in backups is the best decision you will ever make. The choice is clear.',
  ],
  [
    'neutral',
    'The river rises in the hills and flows north for ninety miles before it reaches the sea.',
  ],
  [
    'neutral',
    'The museum opens at ten. Tickets are sold at the entrance and in the shop next door.',
  ],
  ['neutral', 'She walked along the beach until it grew dark, and then went home.'],
  ['neutral', 'Der Zug fährt um acht Uhr ab und ist gegen Mittag in Wien.'],
  ['neutral', 'The recipe takes two eggs, some flour and a cup of milk.'],
  ['neutral', 'Yesterday it rained in the north, while the south stayed dry.'],
  ['neutral', 'La biblioteca tiene tres plantas y un jardín.'],
  ['neutral', '猫が窓の外を見ている。'],
  [
    'formal',
    'Pursuant to our telephone conversation, please find attached the revised terms. We kindly ask you to return a signed copy by Friday.',
  ],
  [
    'formal',
    'The Board of Directors has resolved to appoint Ms. Keller as treasurer, effective 1 January. Members are requested to direct inquiries to the secretary.',
  ],
  [
    'formal',
    'It should be noted that the aforementioned clause does not apply to contracts concluded before 2020.',
  ],
  [
    'formal',
    'Applicants are required to submit two references. Incomplete applications will not be considered.',
  ],
  ['casual', "omg that was hilarious, u should've seen his face"],
  ['casual', "Hey, wanna grab a coffee later? I'm kinda free after four."],
  ['casual', "It's no big deal, really. We'll just fix it tomorrow, okay?"],
  ['casual', 'Dunno man, looks pretty broken to me. Try turning it off and on again.'],
  [
    'technical',
    'The function returns a promise that resolves with the parsed response; on timeout it throws an AbortError.',
  ],
  [
    'technical',
    'Samples were centrifuged at 4000 rpm for 10 min and stored at -20 °C before enzyme analysis.',
  ],
  [
    'technical',
    'Set the replica count to three and enable TLS between nodes. The default port is 5432.',
  ],
  [
    'technical',
    'The query planner chose a sequential scan because the index on user_id was not selective.',
  ],
  [
    'friendly',
    'Hi Maria, it was so nice to see you yesterday! Thanks again for the cake, everyone loved it.',
  ],
  [
    'friendly',
    'Welcome aboard! We hope you enjoy your stay, and feel free to ask if you need anything.',
  ],
  ['friendly', "We're delighted that you could join us. Have a wonderful evening!"],
  ['friendly', 'Get well soon, dear Tom! We are all thinking of you. Hugs from the whole class'],
  [
    'persuasive',
    'Stop wasting time on spreadsheets. Discover the smarter way to plan, and try it free for 30 days.',
  ],
  [
    'persuasive',
    'This is our last chance to save the park. Vote yes on Sunday, because our children deserve better.',
  ],
  [
    'persuasive',
    'Why settle for less? Our award-winning mattress is guaranteed to transform your sleep.',
  ],
  [
    'persuasive',
    'Imagine never missing a deadline again. Join thousands of teams that made the switch today!',
  ],
  ['neutral', 'The bus stops at the corner of the street every half hour.'],
  ['neutral', 'Three men sat at a table near the window and talked about the weather.'],
  ['neutral', 'The house was built in 1920 and has a red roof.'],
  ['neutral', 'After lunch they drove to the lake and stayed there until evening.'],
];
