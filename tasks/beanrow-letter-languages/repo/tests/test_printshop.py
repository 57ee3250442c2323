def test_lines(beanrow):
    beanrow("erase", 41)
    assert beanrow("printshop")[1].splitlines() == [
        "3;Gwen Parry;4 Heol Isaf;Cardiff;CF15 8DX;A12;gwen@example.org;029 2018 0003",
        "17;Tomasz Zielinski;81 Clare Rd;Cardiff;CF11 6QP;B40;;",
    ]


def test_old_files(beanrow, folder):
    (folder / "members.csv").write_text(
        "number,name,street,town,postcode,plot,email\n5,Al,x,y,z,A1,al@example.org\n"
    )
    assert beanrow("printshop")[1] == "5;Al;x;y;z;A1;al@example.org;\n"
