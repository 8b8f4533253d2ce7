use waymark_redact::Secret;
use waymark_snapshot::{Role, State};
use waymark_surface::{Act, Delivery, Key, NotDelivered, OptionRule, ReadBack, TypedText, TypingMode};

use super::{both, delivered, find, has_text, text};

fn plain(text: &str) -> TypedText {
    TypedText::Plain(text.into())
}

fn value(text: &str) -> Delivery {
    Delivery::Delivered { read_back: Some(ReadBack::Value(text.into())) }
}

/// Counts what reaches the page and whether it was trusted.
const COUNTING: &str = "<p id=log></p><script>const seen=[];for(const t of ['input','change','click','keydown'])addEventListener(t,e=>{seen.push(t+(e.isTrusted?'':'!'));log.textContent=seen.join(' ')},true)</script>";

both! {
    a_click_across_processes_lands_in_the_frame(tab) {
        tab.server.answer("/host", crate::common::Answer::Page("<h1>Shop</h1><iframe src='http://127.0.0.1:{port}/F04_in.html' style='margin:40px'></iframe>".into()));
        tab.open(&tab.server.localhost("/host")).await;
        let seen = tab.look().await;
        assert_eq!(seen.snapshot.scopes().len(), 2, "{}", waymark_snapshot::print(&seen.snapshot));
        let field = seen.snapshot.nodes().iter().find(|n| n.role == Role::TextBox).unwrap().id.clone();
        assert_eq!(tab.act(Act::Type { node: field, text: plain("4111"), mode: TypingMode::Insert }).await, value("4111"));
        let seen = tab.look().await;
        let button = seen.snapshot.nodes().iter().find(|n| n.role == Role::Button).unwrap().id.clone();
        assert_eq!(tab.act(Act::Click { node: button }).await, delivered());
    }

    a_button_that_is_replaced_all_the_time_is_clicked_once(tab) {
        tab.open(&tab.server.url("/T01.html")).await;
        tab.until(has_text("Go")).await;
        let mut tries = 0;
        loop {
            tries += 1;
            assert!(tries < 6, "stale again and again");
            match tab.click(Role::Button, "Go").await {
                Delivery::NotDelivered(NotDelivered::Stale) => {}
                other => break assert_eq!(other, delivered()),
            }
        }
        let seen = tab.until(|seen| !seen.snapshot.scopes()[0].title.is_empty()).await;
        assert_eq!(seen.snapshot.scopes()[0].title, "1");
    }

    a_covered_button_is_not_clicked(tab) {
        tab.server.answer("/covered", crate::common::Answer::Page("<button onclick=\"document.title='pressed'\">Next</button><div id=o style='position:fixed;inset:0;background:#0008'>Loading</div>".into()));
        tab.open(&tab.server.url("/covered")).await;
        match tab.click(Role::Button, "Next").await {
            Delivery::NotDelivered(NotDelivered::Covered { by }) => assert!(by.starts_with("div#o"), "{by}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(tab.look().await.snapshot.scopes()[0].title, "");
    }

    a_cover_over_the_frame_counts_too(tab) {
        tab.server.answer("/inner", crate::common::Answer::Page("<button>Pay</button>".into()));
        tab.page("<iframe src='/inner'></iframe><div id=veil style='position:fixed;inset:0'></div>").await;
        match tab.click(Role::Button, "Pay").await {
            Delivery::NotDelivered(NotDelivered::Covered { by }) => assert!(by.starts_with("div#veil"), "{by}"),
            other => panic!("{other:?}"),
        }
    }

    a_node_of_an_earlier_document_is_stale(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        tab.page("<button>Go</button>").await;
        assert_eq!(tab.act(Act::Click { node }).await, Delivery::NotDelivered(NotDelivered::Stale));
    }

    a_frame_that_is_detached_between_look_and_act_is_stale_and_its_twin_is_not_pressed(tab) {
        let inner = "<button onclick=\"top.document.title='pressed'\">Pay</button>";
        tab.server.answer("/inner", crate::common::Answer::Page(inner.into()));
        for script in ["frame.remove()", "frame.replaceWith(frame.cloneNode())", "frame.src = '/inner?again'"] {
            let seen = tab.page("<iframe src='/inner'></iframe>").await;
            let node = find(&seen, &Role::Button, "Pay");
            let probe = tab.driver.probe(&waymark_snapshot::WindowKey::main()).unwrap();
            let expression = format!("{{ const frame = document.querySelector('iframe'); {script}; frame.isConnected && new Promise(done => frame.onload = done) }}");
            probe.call("Runtime.evaluate", serde_json::json!({"expression": expression, "awaitPromise": true})).await.unwrap();
            assert_eq!(tab.act(Act::Click { node }).await, Delivery::NotDelivered(NotDelivered::Stale), "{script}");
            assert_eq!(tab.look().await.snapshot.scopes()[0].title, "", "{script}");
        }
    }

    a_node_out_of_view_is_scrolled_to_also_in_a_frame(tab) {
        tab.server.answer("/inner", crate::common::Answer::Page("<div style='height:3000px'></div><button onclick=\"this.textContent='Done'\">Deep</button>".into()));
        tab.page("<div style='height:2500px'></div><iframe src='/inner' style='margin:100px;height:150px'></iframe>").await;
        assert_eq!(tab.click(Role::Button, "Deep").await, delivered());
        tab.until(has_text("Done")).await;
    }

    typing_replaces_what_was_there(tab) {
        let seen = tab.page("<input aria-label=Name value=old><textarea aria-label=Note>x</textarea><input aria-label=Fixed readonly><div contenteditable aria-label=Free role=textbox>old</div>").await;
        let name = find(&seen, &Role::TextBox, "Name");
        let kind = |node, text: &str, mode| Act::Type { node, text: plain(text), mode };
        assert_eq!(tab.act(kind(name.clone(), "Ann Öz 5", TypingMode::Insert)).await, value("Ann Öz 5"));
        assert_eq!(tab.act(kind(name.clone(), "Bo-é 7", TypingMode::Keys)).await, value("Bo-é 7"));
        assert_eq!(tab.act(kind(name.clone(), "", TypingMode::Insert)).await, value(""));
        assert_eq!(tab.act(kind(find(&seen, &Role::TextBox, "Note"), "two\nlines", TypingMode::Insert)).await, value("two\nlines"));
        assert_eq!(tab.act(kind(find(&seen, &Role::TextBox, "Free"), "new", TypingMode::Insert)).await, value("new"));
        assert_eq!(
            tab.act(kind(find(&seen, &Role::TextBox, "Fixed"), "x", TypingMode::Insert)).await,
            Delivery::NotDelivered(NotDelivered::Disabled)
        );
    }

    a_secret_is_compared_where_it_lies(tab) {
        let seen = tab.page("<input type=password aria-label=PIN>").await;
        let node = find(&seen, &Role::TextBox, "PIN");
        let text = TypedText::Secret(Secret::new("0815".to_owned()));
        assert_eq!(
            tab.act(Act::Type { node, text, mode: TypingMode::Insert }).await,
            Delivery::Delivered { read_back: Some(ReadBack::Compared { equal: true }) }
        );
    }

    dates_are_set_as_a_whole(tab) {
        let seen = tab.page("<input type=date aria-label=From>").await;
        let node = find(&seen, &Role::Date, "From");
        let kind = |text: &str| Act::Type { node: node.clone(), text: plain(text), mode: TypingMode::Insert };
        assert_eq!(tab.act(kind("2026-11-30")).await, value("2026-11-30"));
        assert!(matches!(tab.act(kind("30.11.2026")).await, Delivery::NotDelivered(NotDelivered::Unsupported { .. })));
    }

    choosing_sends_exactly_one_trusted_change(tab) {
        let page = format!("<select aria-label=Branch><option>North<option disabled>East<option>South<option>  South   West </select>{COUNTING}");
        let seen = tab.page(&page).await;
        let node = find(&seen, &Role::ComboBox, "Branch");
        let choose = |text: &str| Act::Choose { node: node.clone(), option: plain(text), rule: OptionRule::Equals };
        assert_eq!(tab.act(choose("South West")).await, value("South West"));
        let seen = tab.look().await;
        let log = text(&seen);
        assert_eq!(log.split_whitespace().filter(|w| *w == "change").count(), 1, "{log}");
        assert!(!log.contains('!'), "{log}");
        // Choosing what is chosen does nothing.
        assert_eq!(tab.act(choose("South West")).await, value("South West"));
        assert_eq!(text(&tab.look().await), log);
        assert_eq!(tab.act(choose("East")).await, Delivery::NotDelivered(NotDelivered::Disabled));
        match tab.act(choose("Narnia")).await {
            Delivery::NotDelivered(NotDelivered::OptionAbsent { options }) => assert_eq!(options.len(), 4),
            other => panic!("{other:?}"),
        }
    }

    an_option_text_that_stands_twice_is_not_chosen(tab) {
        let seen = tab.page("<select aria-label=A><option>x<option>B<option>B</select>").await;
        let node = find(&seen, &Role::ComboBox, "A");
        assert_eq!(
            tab.act(Act::Choose { node, option: plain("B"), rule: OptionRule::Equals }).await,
            Delivery::NotDelivered(NotDelivered::OptionAmbiguous { option: "B".into() })
        );
    }

    an_option_is_chosen_by_what_it_alone_begins_with(tab) {
        let seen = tab.page("<select aria-label=A><option>12345-00 SAVINGS<option>12345-20 CLUB<option>12345-20 (old)</select>").await;
        let node = find(&seen, &Role::ComboBox, "A");
        let choose =
            |text: &str| Act::Choose { node: node.clone(), option: plain(text), rule: OptionRule::StartsWith };
        assert!(matches!(tab.act(choose("12345")).await, Delivery::NotDelivered(NotDelivered::OptionAbsent { .. })));
        assert_eq!(
            tab.act(choose("12345-20")).await,
            Delivery::NotDelivered(NotDelivered::OptionAmbiguous { option: "12345-20".into() })
        );
        assert_eq!(tab.act(choose("12345-00")).await, value("12345-00 SAVINGS"));
    }

    a_list_box_is_chosen_from(tab) {
        let page = format!("<select aria-label=L size=4><option>One<option>Two<option>Three</select>{COUNTING}");
        let seen = tab.page(&page).await;
        let node = find(&seen, &Role::ListBox, "L");
        assert_eq!(tab.act(Act::Choose { node, option: plain("Two"), rule: OptionRule::Equals }).await, value("Two"));
        let log = text(&tab.look().await);
        assert_eq!(log.split_whitespace().filter(|w| *w == "change").count(), 1, "{log}");
    }

    a_list_the_page_draws_is_chosen_from(tab) {
        let seen = tab.open(&tab.server.url("/C01.html")).await;
        let node = find(&seen, &Role::ComboBox, "State");
        assert_eq!(tab.act(Act::Choose { node: node.clone(), option: plain("Utah"), rule: OptionRule::Equals }).await, value("Utah"));
        match tab.act(Act::Choose { node, option: plain("Narnia"), rule: OptionRule::Equals }).await {
            Delivery::NotDelivered(NotDelivered::OptionAbsent { options }) => assert_eq!(options, ["Texas", "Utah"]),
            other => panic!("{other:?}"),
        }
    }

    a_styled_checkbox_is_set_once(tab) {
        let seen = tab.open(&tab.server.url("/C08.html")).await;
        let node = find(&seen, &Role::CheckBox, "I agree");
        let set = |checked| Act::SetChecked { node: node.clone(), checked };
        let on = Delivery::Delivered { read_back: Some(ReadBack::Checked(true)) };
        assert_eq!(tab.act(set(true)).await, on);
        assert_eq!(tab.act(set(true)).await, on);
        let seen = tab.look().await;
        assert!(seen.snapshot.node(seen.snapshot.find(&node).unwrap()).is(State::Checked));
        assert_eq!(tab.act(set(false)).await, Delivery::Delivered { read_back: Some(ReadBack::Checked(false)) });
    }

    keys_reach_the_focus_and_a_node(tab) {
        let seen = tab.page("<form onsubmit=\"r.textContent='sent';return false\"><input aria-label=Ref></form><p id=r>idle</p>").await;
        let node = find(&seen, &Role::TextBox, "Ref");
        assert_eq!(tab.act(Act::PressKey { node: Some(node.clone()), key: Key("a".into()) }).await, delivered());
        assert_eq!(tab.act(Act::PressKey { node: None, key: Key("Enter".into()) }).await, delivered());
        let seen = tab.until(has_text("sent")).await;
        assert_eq!(seen.snapshot.node(seen.snapshot.find(&node).unwrap()).value.as_deref(), Some("a"));
    }

    files_are_given_to_a_field_and_to_a_chooser(tab) {
        let dir = std::env::temp_dir().join(format!("waymark-upload-{}-{:?}", std::process::id(), tab.browser.kind()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("slip.txt");
        std::fs::write(&file, "12345").unwrap();
        let got = Delivery::Delivered { read_back: Some(ReadBack::Files(vec![("slip.txt".into(), 5)])) };
        let seen = tab.page("<input type=file aria-label=Slip>").await;
        let field = find(&seen, &Role::File, "Slip");
        assert_eq!(tab.act(Act::Upload { node: field, files: vec![file.clone()] }).await, got);
        let seen = tab.open(&tab.server.url("/C10.html")).await;
        let button = find(&seen, &Role::Button, "Attach");
        assert_eq!(tab.act(Act::Upload { node: button, files: vec![file] }).await, got);
        tab.until(has_text("slip.txt 5")).await;
        std::fs::remove_dir_all(dir).unwrap();
    }

    a_window_is_scrolled_by_a_page(tab) {
        tab.page("<p>Top</p><div style='height:5000px'></div><p>End</p>").await;
        assert_eq!(tab.act(Act::Scroll { node: None }).await, delivered());
        let seen = tab.look().await;
        let top = seen.snapshot.nodes().iter().find(|n| n.name.trim() == "Top").unwrap();
        assert!(top.bounds.unwrap().y < -500, "{top:?}");
    }

    a_click_takes_four_calls_at_the_top_and_in_a_frame_of_its_origin(tab) {
        tab.server.answer("/inner", crate::common::Answer::Page("<button>In</button>".into()));
        let seen = tab.page("<button>Out</button><iframe src='/inner'></iframe>").await;
        let (out, inner) = (find(&seen, &Role::Button, "Out"), find(&seen, &Role::Button, "In"));
        let before = tab.driver.calls();
        assert_eq!(tab.act(Act::Click { node: out }).await, delivered());
        assert_eq!(tab.driver.calls() - before, 4);
        assert_eq!(tab.act(Act::Click { node: inner }).await, delivered());
        assert_eq!(tab.driver.calls() - before, 4 + 4);
    }
}
